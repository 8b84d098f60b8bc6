"""The steps of the reproduction: train a model, decompose its predictions by the published method and by ours."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from anova_report import __version__
from benchmarks.blackboxes import library_versions
from benchmarks.experiments import SPLIT_SEED, Experiment, decompose, make
from benchmarks.paper import SHAPES, TABLES
from benchmarks.results_store import ResultsStore, Training, digest, stamped

StepName: TypeAlias = Literal["model", "published", "ours"]

WORDS: dict[StepName, str] = {"model": "model", "published": "published method", "ours": "our default"}
# What steps take on two slow cores, to say how much is left; whoever is faster finds out after the first few steps.
START_SECONDS = 4.0
SECONDS_PER_CELL = 4e-5  # our default, both fits
PUBLISHED_FACTOR = 4.0  # two fits, at half the speed of the paper's machine
TREE_SECONDS_PER_CELL = 1e-5
NETWORK_SECONDS_PER_ROW = 3e-3
# Measured on one core: how many values features have, and when training stops, decides more than the number of rows.
EBM_SECONDS_PER_BAG = {
    "bike_sharing": 16.0,
    "california_housing": 58.0,
    "census_income": 19.0,
    "electrical_grid": 17.0,
    "diabetes": 2.0,
    "superconductivity": 96.0,
}
CORES = 2


@dataclass(frozen=True)
class Step:
    """One step of one experiment.

    Parameters
    ----------
    experiment : Experiment
    name : {"model", "published", "ours"}
    """

    experiment: Experiment
    name: StepName

    @property
    def title(self) -> str:
        """What is done, for the line that says so."""
        return f"{self.experiment.title}: {WORDS[self.name]}"

    @property
    def model(self) -> "Step":
        """The step that trains the model of this one."""
        return Step(self.experiment, "model")

    @cached_property
    def key(self) -> dict[str, Any]:
        """What the step rests on; if any of it changes, the step is made anew."""
        one = self.experiment
        common = {"step": self.name, "dataset": one.dataset, "model": one.model, "anova_report": __version__}
        if self.name == "model":
            libraries = library_versions(one.model)
            return common | {"rows": one.rows, "settings": one.settings, "libraries": libraries}
        settings = make(self.name, one.dataset, one.model).settings()
        return common | {"predictions": digest(self.model.key), "settings": settings, "split": SPLIT_SEED}

    @property
    def expected_seconds(self) -> float:
        """About how long it takes, start of its process included."""
        n_rows, n_features = SHAPES[self.experiment.dataset]
        n_rows = min(n_rows, self.experiment.rows or n_rows)
        if self.name == "ours":
            return START_SECONDS + SECONDS_PER_CELL * n_rows * n_features
        if self.name == "published":
            paper = TABLES[self.experiment.dataset][self.experiment.model]
            return START_SECONDS + PUBLISHED_FACTOR * paper.seconds
        return START_SECONDS + self._training_seconds(n_rows, n_features)

    def _training_seconds(self, n_rows: int, n_features: int) -> float:
        if self.experiment.model == "xgb":
            return TREE_SECONDS_PER_CELL * n_rows * n_features
        if self.experiment.model == "ebm":
            share = n_rows / SHAPES[self.experiment.dataset][0]
            bags = self.experiment.settings["outer_bags"]
            return float(bags / CORES * share * EBM_SECONDS_PER_BAG[self.experiment.dataset])
        return NETWORK_SECONDS_PER_ROW * n_rows


def plan(
    datasets: Iterable[str], models: Iterable[str], rows: int | None = None, bags: int | None = None
) -> Iterator[Step]:
    """List the steps for the rows of the paper's tables, each model before what is made of its predictions."""
    wanted = set(models)
    for dataset in datasets:
        for model in TABLES[dataset]:
            if model in wanted:
                experiment = Experiment(dataset, model, rows, bags)
                yield from (Step(experiment, "model"), Step(experiment, "published"), Step(experiment, "ours"))


def carry_out(step: Step, folder: Path) -> None:
    """Do a step in its own process, and keep the outcome."""
    store = ResultsStore(folder)
    loaded = step.experiment.load()
    if step.name == "model":
        trained = step.experiment.train(loaded)
        store.put_predictions(step.key, trained.predictions)
        training = Training(trained.performance, trained.seconds, *loaded.X.shape)
        store.put(stamped(step.key, training=training))
        return
    predictions = store.predictions(step.model.key)
    figures = decompose(step.experiment.dataset, step.experiment.model, step.name, loaded, predictions)
    store.put(stamped(step.key, figures=figures))
