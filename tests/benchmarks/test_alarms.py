"""The benchmark of false alarms in a small version: what it compares, what it prints."""

from benchmarks import alarms

SMALL = 4000  # from here on one fit serves all rows, which is fast


def trial(name: str, noise: float) -> alarms.Trial:
    """Find a trial by the beginning of its name and by its noise."""
    (found,) = [each for each in alarms.TRIALS if each.name.startswith(name) and each.noises[1] == noise]
    return found


def test_a_bend_is_found_on_the_same_rows():
    found = trial("a bend", 0.3).compare(0, SMALL)
    assert found.rows == "same replicates"
    assert "x3" in [effect.label for effect in found.differing()]


def test_equal_functions_on_other_rows_are_not_called_different():
    found = trial("steps", 0.0).compare(1, SMALL)
    assert found.rows == "different"
    assert found.differing() == ()
