"""What is known of the reproduction: figures of the paper, of the published method and of ours, row by row."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.blackboxes import missing
from benchmarks.experiments import Experiment, Figures
from benchmarks.paper import TABLES, Row
from benchmarks.results_store import Record, ResultsStore, Training
from benchmarks.steps import Step, StepName

NOT_YET = "not run yet"
NO_PREDICTIONS = "no predictions, since the model was not trained"


@dataclass(frozen=True)
class Entry:
    """One row of the tables.

    Parameters
    ----------
    experiment : Experiment
    paper : Row
    training : Training or None
    published, ours : Figures or None
    reasons : mapping of step to str
        Why a step has no result.
    """

    experiment: Experiment
    paper: Row
    training: Training | None = None
    published: Figures | None = None
    ours: Figures | None = None
    reasons: Mapping[StepName, str] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """Whether all of its steps have a result."""
        return self.published is not None and self.ours is not None

    def figures(self, name: StepName) -> Figures | None:
        """Return the figures of a decomposition."""
        return self.published if name == "published" else self.ours


@dataclass(frozen=True)
class Reproduction:
    """All rows, in the paper's order.

    Parameters
    ----------
    entries : tuple of Entry
    machines : tuple of str
        On which steps were made.
    """

    entries: tuple[Entry, ...]
    machines: tuple[str, ...]

    @property
    def finished(self) -> tuple[Entry, ...]:
        """Rows whose steps all have a result."""
        return tuple(entry for entry in self.entries if entry.finished)


def gather(store: ResultsStore, steps: Iterable[Step]) -> Reproduction:
    """Look up what is kept of every step."""
    records = {step: None if missing(step.experiment.model) else store.find(step.key) for step in steps}
    experiments = dict.fromkeys(step.experiment for step in records)
    entries = tuple(_entry(experiment, records) for experiment in experiments)
    machines = dict.fromkeys(record.machine for record in records.values() if record is not None)
    return Reproduction(entries, tuple(machines))


def _entry(experiment: Experiment, records: Mapping[Step, Record | None]) -> Entry:
    model, published, ours = (
        records.get(Step(experiment, name)) or Record({}, "", "") for name in ("model", "published", "ours")
    )
    found: dict[StepName, object] = {
        "model": model.training,
        "published": published.figures,
        "ours": ours.figures,
    }
    failures: dict[StepName, str | None] = {"model": model.reason, "published": published.reason, "ours": ours.reason}
    return Entry(
        experiment=experiment,
        paper=TABLES[experiment.dataset][experiment.model],
        training=model.training,
        published=published.figures,
        ours=ours.figures,
        reasons={name: _reason(experiment, name, failures) for name, value in found.items() if value is None},
    )


def _reason(experiment: Experiment, name: StepName, failures: Mapping[StepName, str | None]) -> str:
    absent = missing(experiment.model)
    if absent:
        return absent
    if name != "model" and failures["model"]:
        return NO_PREDICTIONS
    return failures[name] or NOT_YET
