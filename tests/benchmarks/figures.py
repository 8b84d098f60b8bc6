"""Made-up outcomes of the reproduction."""

from benchmarks.experiments import Experiment, Figures
from benchmarks.paper import TABLES
from benchmarks.reproduction import Entry
from benchmarks.results_store import Training


def figures(**changes) -> Figures:
    """Make figures of a decomposition, some of them different."""
    usual = {
        "r2": 0.85,
        "held_out_r2": 0.80,
        "max_corr": 0.09,
        "held_out_max_corr": 0.12,
        "held_out_pair": "a × b | a",
        "held_out_sd": 0.06,
        "n_above": 0,
        "seconds": 2.0,
        "n_columns": 65,
        "n_terms": 33,
    }
    return Figures(**(usual | changes))


def entry(dataset: str = "diabetes", model: str = "xgb", rows: int | None = None, **known) -> Entry:
    """Make a row of the tables of which something is known, and of the rest why not."""
    reasons = {name: "not run yet" for name in ("published", "ours") if known.get(name) is None}
    if known.get("training") is None:
        reasons = {"model": "not run yet"} | reasons
    given = {"reasons": reasons} | known
    return Entry(Experiment(dataset, model, rows), TABLES[dataset][model], **given)


def finished(dataset: str = "diabetes", model: str = "xgb", **changes) -> Entry:
    """Make a row whose steps are all finished: `ours_…` and `published_…` change their figures."""
    own = {name: _with(changes, f"{name}_") for name in ("published", "ours")}
    return entry(dataset, model, training=Training(0.727, 1.5, 768, 8), **own)


def _with(changes: dict[str, object], start: str) -> Figures:
    return figures(**{name.removeprefix(start): value for name, value in changes.items() if name.startswith(start)})
