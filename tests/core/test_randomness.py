"""Named streams: random numbers that nobody else draws, so that no split replays the data."""

import ast
from pathlib import Path

import numpy as np
import pytest

import anova_report
from anova_report import FunctionalANOVA, measures
from anova_report.core.randomness import stream
from anova_report.errors import InputError

PACKAGE = Path(anova_report.__file__).parent
SOURCE_OF_RANDOMNESS = PACKAGE / "core" / "randomness.py"
MAKES_DATA = PACKAGE / "cli" / "demo_model.py"  # the numbers of a user, as it were
FOREIGN = {"get_state", "seed", "set_state"}  # shap draws from numpy's global generator, which is put back


def test_a_table_made_with_the_seed_of_the_fit_is_judged_like_any_other():
    X = np.random.default_rng(0).random((6000, 1))
    predictions = np.sin(6 * X[:, 0])
    same, other = (
        measures.fidelity(FunctionalANOVA(1, random_state=seed).fit(X, predictions).decomposition_) for seed in (0, 7)
    )
    assert same.held_out == pytest.approx(other.held_out, abs=1e-3)
    assert other.held_out > 0.999


def test_no_two_streams_coincide_nor_any_with_a_stream_of_the_user():
    ours = [(0, "groups"), (0, "groups", 0), (0, "groups", 0, 0), (0, "replicates"), (1, "groups"), (0, "groups", 1)]
    ours += [(0, "folds"), (2**70, "groups"), (0, "groups", 10), (0, "groups1"), (10, "groups"), (0, "group", 0)]
    drawn = [stream(*each).random(4).tobytes() for each in ours]
    users = [seed for at in (0, 1, 42) for seed in (at, [at], [at, 0], [at, 1], [at, 0, 64])]
    drawn += {np.random.default_rng(seed).random(4).tobytes() for seed in users}
    drawn += [np.random.RandomState(seed).random(4).tobytes() for seed in (0, 1)]
    assert len(set(drawn)) == len(drawn)


def test_a_stream_depends_on_its_name_and_numbers_alone():
    np.testing.assert_array_equal(stream(3, "groups", 7).random(5), stream(np.int64(3), "groups", np.intp(7)).random(5))


def test_streams_are_uniform_and_do_not_follow_each_other():
    drawn = np.array([stream(0, "groups", number).random(2000) for number in range(20)])
    assert abs(drawn.mean() - 0.5) < 0.01
    assert abs(np.corrcoef(drawn) - np.eye(20)).max() < 0.12


def test_nothing_else_in_the_package_draws_random_numbers():
    strangers = [
        f"{path.name}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if path not in (SOURCE_OF_RANDOMNESS, MAKES_DATA)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _draws(node)
    ]
    assert not strangers


def _draws(node: ast.AST) -> bool:
    """Whether code takes anything but a type from numpy.random, or gives another library a seed as it stands."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "random":
        return node.attr not in {"Generator", *FOREIGN}
    if isinstance(node, ast.ImportFrom | ast.Import):
        named = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        return any(name in ("random", "numpy.random") for name in named)
    return isinstance(node, ast.Name) and node.id in ("default_rng", "RandomState")


@pytest.mark.parametrize("wrong", [-1, 1.5, "0"])
def test_a_seed_that_is_none_is_refused(wrong):
    with pytest.raises(InputError, match="random_state must be"):
        FunctionalANOVA(random_state=wrong).fit(np.arange(20.0).reshape(10, 2), np.arange(10.0))
