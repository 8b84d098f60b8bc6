"""The paper's analytical case: main effects of every method against the truth, on one page.

Three dependent inputs with the FGM law, a function whose components are known on paper, and each method's main effects
of x1, x2 and x3. Run with `python -m benchmarks.analytical -o analytical.html`.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from anova_report import Decomposition, explain
from anova_report.compare import Attribution, attribute
from anova_report.core import files
from anova_report.figures.columns import Rows, main_effect
from anova_report.figures.columns.overlays import conditional_means, overlay_line
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Curve, Line
from anova_report.figures.style import css_variables
from anova_report.measures.wording import number
from anova_report.report import assets
from anova_report.report.render import environment, policy
from tests.ground_truth import FGM

Floats = NDArray[np.float64]

NAMES = ("x1", "x2", "x3")
OURS = "Functional ANOVA (ours)"
TRUTH = "Truth"
N_ROWS, SEED = 5000, 0
METHODS = ("treeshap", "kernelshap", "pdp", "ale", "ebm")
MAX_ROWS = {"treeshap": 2000, "kernelshap": 400, "pdp": 2000}  # others explain all rows
TREES = {"n_estimators": 300, "max_depth": 6, "learning_rate": 0.1, "random_state": SEED}


@dataclass(frozen=True, eq=False)
class Outcome:
    """A decomposition of one black box, other explanations of it, and the error of everybody's main effects.

    Parameters
    ----------
    dec : Decomposition
    X : array of shape (n_rows, 3)
    others : tuple of Attribution
    errors : dict of str to tuple of float
        Root mean square distance from the truth for x1, x2 and x3, by method; ours comes first.
    """

    dec: Decomposition
    X: Floats
    others: tuple[Attribution, ...]
    errors: dict[str, tuple[float, ...]]


def truth(X: Floats, index: int) -> Floats:
    """Evaluate the true main effect of a feature; x3 has none."""
    known = FGM.components.get((index,))
    return np.zeros(len(X)) if known is None else known(X)


def run(model: Any, X: Floats, methods: Sequence[str] = METHODS, seed: int = SEED) -> Outcome:
    """Decompose the answers of a model, ask the other methods about it, and measure all against the truth.

    Parameters
    ----------
    model : object
        The function itself, or a model that was trained on it.
    X : array of shape (n_rows, 3)
    methods : sequence of str
    seed : int
    """
    dec = explain(model, X, random_state=seed, progress=False)
    others = tuple(
        attribute(name, model, X, like=dec, max_rows=MAX_ROWS.get(name, len(X)), random_state=seed, progress=False)
        for name in methods
    )
    ours = tuple(_distance(_ours(dec, X, index), truth(X, index)) for index in range(3))
    return Outcome(dec, X, others, {OURS: ours, **{other.title: _errors(other) for other in others}})


def figures(outcome: Outcome) -> tuple[Figure, ...]:
    """Draw the main effects of all methods with the truth, one figure for each feature."""
    rows = Rows.of(outcome.dec, outcome.X)
    return tuple(_figure(rows, index, outcome.others) for index in range(3))


def error_table(outcome: Outcome) -> Table:
    """List the errors, with the size of the truth in the first line."""
    sizes = (float(np.sqrt(np.mean(truth(outcome.X, index) ** 2))) for index in range(3))
    lines = [("Size of the true main effect", *map(number, sizes))]
    lines += [(name, *map(number, errors)) for name, errors in outcome.errors.items()]
    return Table(("Root mean square error", *NAMES), tuple(lines))


def smallest(outcome: Outcome) -> tuple[str, ...]:
    """Name, for each feature, the method whose error is smallest."""
    return tuple(min(outcome.errors, key=lambda name: outcome.errors[name][index]) for index in range(3))


def verdict(outcome: Outcome) -> str:
    """Say whose errors are smallest."""
    best = smallest(outcome)
    if set(best) == {OURS}:
        return "Our error is the smallest for every feature."
    return f"The smallest errors: {', '.join(f'{name} {who}' for name, who in zip(NAMES, best, strict=True))}."


def write_page(trained: Outcome, exact: Outcome, path: str | Path) -> Path:
    """Write one page: figures and errors of all methods on a trained model, and their errors on the function itself."""
    contents = {
        "figures": figures(trained),
        "trained": error_table(trained),
        "exact": error_table(exact),
        "verdicts": (verdict(trained), verdict(exact)),
        "n_rows": len(trained.X),
        "policy": policy("'none'"),
        "styles": Markup(css_variables() + assets.styles()),  # noqa: S704 our own files
    }
    return files.write_text(path, environment().get_template("analytical.html").render(contents))


def train(X: Floats) -> Any:
    """Train XGBoost on the function, noise-free."""
    import xgboost

    return xgboost.XGBRegressor(**TREES).fit(X, FGM.answers(X))


def _ours(dec: Decomposition, X: Floats, index: int) -> Floats:
    return dec.component((index,), X) if (index,) in dec.terms else np.zeros(len(X))


def _distance(found: Floats, wanted: Floats) -> float:
    gap = found - found.mean() - (wanted - wanted.mean())
    return float(np.sqrt(np.mean(gap**2)))


def _errors(other: Attribution) -> tuple[float, ...]:
    """Measure how far a method's lines lie from the truth at the rows it explained.

    Shapley-like contributions are averaged over rows with about the same value first, which does away with what they
    hold of interactions: their errors without that would be larger.
    """
    found = []
    for index in range(3):
        values, contributions = other.values[:, index], other.contributions[:, index]
        if other.counterpart == "ANOVA-Shapley value":
            contributions = np.interp(values, *conditional_means(values, contributions))
        found.append(_distance(contributions, truth(other.values, index)))
    return tuple(found)


def _figure(rows: Rows, index: int, others: Sequence[Attribution]) -> Figure:
    figure = main_effect(rows, index, key=f"main-{index}")
    data = figure.data
    if not isinstance(data, Curve):
        raise TypeError(f"The main effect of {NAMES[index]} is not a curve.")
    at = np.zeros((len(data.at), 3))
    at[:, index] = data.at
    known = Line(TRUTH, data.at, tuple(truth(at, index).tolist()))
    lines = (known, *(overlay_line(data.x, rows.dec.features[index], other) for other in others))
    effects = [value for line in lines for value in line.value]
    y = replace(data.y, low=min(data.y.low, *effects), high=max(data.y.high, *effects))
    x = replace(data.x, label=NAMES[index])
    return replace(figure, title=f"Main effect of {NAMES[index]}", data=replace(data, x=x, y=y, overlays=lines))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page and print the errors."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("-o", "--out", default="analytical.html", help="the page (%(default)s)")
    made.add_argument("--rows", type=int, default=N_ROWS, help="rows of the sample (%(default)s)")
    options = made.parse_args(arguments)
    X = FGM.draw(options.rows, np.random.default_rng(SEED))
    trained = run(train(X), X)
    exact = run(FGM.answers, X, [name for name in METHODS if name != "treeshap"])
    for outcome in (trained, exact):
        for line in (error_table(outcome).head, *error_table(outcome).rows):
            print(f"{line[0]:32}", *(f"{cell:>10}" for cell in line[1:]))
        print(verdict(outcome), end="\n\n")
    print("Written:", write_page(trained, exact, options.out))
    return 0 if set(smallest(trained)) == {OURS} else 1


if __name__ == "__main__":
    raise SystemExit(main())
