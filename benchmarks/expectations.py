"""How often an expectation is said to hold, or to be violated, and is not: on functions known on paper.

Run with `python -m benchmarks.expectations [--samples 200] [--rows 400] [--json FILE]`. Prints for each expectation
what is true and what was said, then the share of wrong answers among all that hold and all that are violated. The exit
code is 1 where either is wrong in more than 5%.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from anova_report import explain
from anova_report.measures import findings
from anova_report.measures.policy import Policy

Floats = npt.NDArray[np.float64]
MOST_WRONG = 0.05
N_FEATURES = 5
SAID = {"pass": "holds", "fail": "violated", "not tested": "open"}


@dataclass(frozen=True)
class Case:
    """A function of features that are uniform on [0, 1], and what is true of it.

    `correlation` ties the first three features by a Gaussian copula; main effects of sums stay what they are.
    """

    name: str
    function: Callable[[Floats], Floats]
    true: tuple[str, ...]
    false: tuple[str, ...]
    correlation: float = 0.0

    def draw(self, rng: np.random.Generator, n_rows: int) -> Floats:
        """Draw rows."""
        law = np.eye(N_FEATURES)
        law[:3, :3] += self.correlation * (1 - np.eye(3))
        return np.asarray(norm.cdf(rng.multivariate_normal(np.zeros(N_FEATURES), law, size=n_rows)))


def bowl(x: Floats) -> Floats:
    """Add a line, a parabola, a product with 5.6% of the variance, a wave with 9.1%, and a feature that is not read."""
    product = 2 * (x[:, 0] - 0.5) * (x[:, 2] - 0.5)
    return np.asarray(2 * x[:, 0] + 4 * (x[:, 1] - 0.5) ** 2 + product + 0.3 * np.sin(2 * np.pi * x[:, 3]))


def dip(x: Floats) -> Floats:
    """Add a rise with a dip of a quarter of its range, an exponential, a saturation."""
    hole = 0.45 * np.exp(-(((x[:, 0] - 0.6) / 0.09) ** 2))
    return np.asarray(x[:, 0] - hole + np.exp(2 * x[:, 1]) / 4 + 0.6 * np.tanh(6 * (x[:, 2] - 0.5)))


def steps(x: Floats) -> Floats:
    """Add steps upwards, a step down at the end of a rise, and a line."""
    late = x[:, 1] - 0.4 * (x[:, 1] > 0.75)
    return np.asarray(np.floor(4 * x[:, 0]) / 2 + late + 0.5 * x[:, 3])


def small(x: Floats) -> Floats:
    """Add a large line, effects of a fiftieth of its size, and a product with 3.9% of the variance."""
    return np.asarray(3 * x[:, 0] - 0.06 * x[:, 1] + 2 * (x[:, 3] - 0.5) * (x[:, 4] - 0.5) + 0.06 * x[:, 2] ** 2)


CASES = (
    Case(
        "bowl",
        bowl,
        (
            *("x0: increasing", "x0: convex", "x0: concave", "x1: convex", "x1: between -0.5 and 0.8"),
            *("x0 × x1: no interaction", "x3: no interaction", "x4: no effect", "x4: no effect above 0.3"),
            *("x3: share < 15%", "x3: no effect above 0.9", "x0 × x2: share < 10%", "x1: increasing for 0.55..1"),
        ),
        (
            *("x0: decreasing", "x1: increasing", "x1: concave", "x1: between -0.2 and 0.8", "x2: no interaction"),
            *("x3: share < 5%", "x3: no effect", "x3: no effect above 0.4", "x3: increasing", "x3: convex"),
            *("x0 × x2: no interaction above 2%", "x0: share < 50%"),
        ),
    ),
    Case(
        "dip",
        dip,
        ("x1: increasing", "x1: convex", "x2: increasing", "x0: increasing for 0.65..1", "x4: no effect"),
        ("x0: increasing", "x1: concave", "x2: convex", "x2: decreasing", "x0: convex"),
    ),
    Case(
        "dip, tied",
        dip,
        ("x1: increasing", "x1: convex", "x2: increasing", "x0 × x1: no interaction"),
        ("x0: increasing", "x1: concave", "x2: convex", "x2: decreasing"),
        correlation=0.6,
    ),
    Case(
        "steps",
        steps,
        ("x0: increasing", "x3: increasing", "x0 × x1: no interaction", "x2: no effect"),
        ("x0: decreasing", "x1: increasing", "x0: between -0.5 and 0.5", "x3: no effect above 0.2"),
    ),
    Case(
        "small",
        small,
        ("x1: decreasing", "x2: increasing", "x1: no effect", "x1: no effect above 0.2", "x0: share > 80%"),
        ("x1: increasing", "x2: decreasing", "x3 × x4: no interaction", "x3: no effect"),
    ),
)


def said_of(case: Case, seed: int, n_rows: int, noise: float) -> dict[str, str]:
    """Explain the function from rows alone, and judge all expectations of a case."""
    rng = np.random.default_rng([seed, n_rows])
    rows = case.draw(rng, n_rows)
    spread = float(case.function(case.draw(np.random.default_rng(0), 4000)).std())
    disturbed = case.function(rows) + noise * spread * rng.standard_normal(n_rows)
    known = dict(zip(map(bytes, rows), disturbed.tolist(), strict=True))
    dec = explain(lambda asked: np.array([known[bytes(row)] for row in asked]), rows, ask=0, progress=False)
    # What is true and what is not contradict each other, so they are asked apart.
    found = [
        item for texts in (case.true, case.false) for item in findings(dec, policy=Policy.read(expectations=texts))
    ]
    return {item.title: SAID[item.status] for item in found if item.code >= "AR101"}


def measure(cases: Iterable[Case], samples: int, n_rows: int) -> dict[str, dict[str, int]]:
    """Count what was said of every expectation; every other sample has noise of a fifth of the standard deviation."""
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        for seed in range(samples):
            for text, said in said_of(case, seed, n_rows, 0.2 * (seed % 2)).items():
                counts.setdefault(f"{case.name} | {text}", Counter())[said] += 1
    return {name: dict(count) for name, count in counts.items()}


def wrong_shares(cases: Iterable[Case], counts: dict[str, dict[str, int]]) -> dict[str, tuple[int, int]]:
    """Count wrong answers of either kind, and how often each could have been wrong."""
    wrong = {"holds": [0, 0], "violated": [0, 0]}
    for case in cases:
        for texts, answer in ((case.true, "violated"), (case.false, "holds")):
            for text in texts:
                found = counts[f"{case.name} | {text}"]
                wrong[answer][0] += found.get(answer, 0)
                wrong[answer][1] += sum(found.values())
    return {answer: (n_wrong, n_all) for answer, (n_wrong, n_all) in wrong.items()}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--samples", type=int, default=200, help="of all cases together")
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    counts = measure(CASES, max(chosen.samples // len(CASES), 1), chosen.rows)
    print(f"{'':48} {'true':>6} {'holds':>6} {'violated':>9} {'open':>5}")
    for name, found in counts.items():
        case, _, text = name.partition(" | ")
        true = text in next(one for one in CASES if one.name == case).true
        print(f"{name:48} {true!s:>6} {found.get('holds', 0):6} {found.get('violated', 0):9} {found.get('open', 0):5}")
    wrong = wrong_shares(CASES, counts)
    for answer, (n_wrong, n_all) in wrong.items():
        print(f"“{answer}” is wrong in {n_wrong} of {n_all} ({n_wrong / n_all:.1%})")
    if chosen.json:
        chosen.json.write_text(json.dumps({"counts": counts, "wrong": wrong}, indent=1, ensure_ascii=False))
    return int(any(n_wrong > MOST_WRONG * n_all for n_wrong, n_all in wrong.values()))


if __name__ == "__main__":
    sys.exit(main())
