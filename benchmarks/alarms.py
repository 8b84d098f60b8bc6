"""Comparing two decompositions: how often equal functions are called different, and how often a change is found.

Run with `python -m benchmarks.alarms [--samples 20] [--rows 5000]`.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anova_report import Decomposition, FunctionalANOVA
from anova_report.compare import Comparison, compare_decompositions
from benchmarks.judge import Floats

Function = Callable[[Floats], Floats]
NOISES = (0.0, 0.3)


def waves(X: Floats) -> Floats:
    """Add a wave, a product and a line."""
    return np.asarray(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3])


def bent(X: Floats) -> Floats:
    """Add a bend in the last feature."""
    return waves(X) + 0.3 * X[:, 3] ** 2


def threefold(X: Floats) -> Floats:
    """Multiply three features, of which pairs can tell a part only."""
    return np.asarray(np.tanh(X[:, 0] + 0.5 * X[:, 1]) * X[:, 2] + 0.5 * X[:, 3] ** 2)


def steps(X: Floats) -> Floats:
    """Add jumps, as trees have them."""
    return np.asarray((X[:, 0] > 0.3) + (X[:, 1] > 0) * np.tanh(X[:, 2]) + 0.5 * X[:, 3])


@dataclass(frozen=True)
class Trial:
    """What is compared: two functions, how noisy their answers are, and whether both come from the same rows."""

    name: str
    first: Function
    second: Function
    noises: tuple[float, float]
    same_rows: bool

    def compare(self, seed: int, n_rows: int) -> Comparison:
        """Draw rows, decompose both, and compare."""
        rng = np.random.default_rng(seed)
        X = draw(rng, n_rows)
        noise = rng.normal(size=n_rows)
        other, other_noise = (X, noise) if self.same_rows else (draw(rng, n_rows), rng.normal(size=n_rows))
        a = decompose(X, self.first(X) + self.noises[0] * noise)
        b = decompose(other, self.second(other) + self.noises[1] * other_noise)
        return compare_decompositions(a, b, X)


def draw(rng: np.random.Generator, n_rows: int) -> Floats:
    """Draw four features, the first two dependent."""
    X = rng.normal(size=(n_rows, 4))
    X[:, 1] += 0.7 * X[:, 0]
    return X


def decompose(X: Floats, answers: Floats) -> Decomposition:
    """Fit our default."""
    return FunctionalANOVA(random_state=0, progress=False).fit(X, answers).decomposition_


TRIALS = (
    *(
        Trial(f"{function.__name__}, other rows", function, function, (noise, noise), same_rows=False)
        for function in (waves, threefold, steps)
        for noise in NOISES
    ),
    *(Trial("a bend in x3, same rows", waves, bent, (noise, noise), same_rows=True) for noise in NOISES),
    Trial("without and with noise, same rows", waves, waves, (0.0, 0.3), same_rows=True),
)


def measure(trial: Trial, n_samples: int, n_rows: int) -> str:
    """Write in how many samples which effects were called different."""
    found = [trial.compare(seed, n_rows).differing() for seed in range(n_samples)]
    counts = Counter(effect.label for effects in found for effect in effects)
    called = ", ".join(f"{label} {count}" for label, count in counts.most_common()) or "none"
    any_of_them = sum(bool(effects) for effects in found)
    return f"  {trial.name}, noise {trial.noises[1]:g}: in {any_of_them} of {n_samples} samples; effects: {called}"


def main(arguments: list[str] | None = None) -> None:
    """Print, for each trial, what was called different."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.alarms", description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--rows", type=int, default=5000)
    options = parser.parse_args(arguments)
    print("Called different (5% is promised where functions are equal):", flush=True)
    for trial in TRIALS:
        print(measure(trial, options.samples, options.rows), flush=True)


if __name__ == "__main__":
    main()
