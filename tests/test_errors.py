"""Errors: one base to catch them all, the builtin a caller expects, and the sentence as it was written."""

import copy
import inspect

import numpy as np
import pytest

from anova_report import errors
from anova_report.errors import (
    AnovaReportError,
    InputError,
    InputTypeError,
    ModelError,
    StorageError,
    UnknownTermError,
    listing,
)

KINDS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and AnovaReportError in kind.__bases__]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_ours_and_also_one_that_python_has(kind):
    assert issubclass(kind, AnovaReportError)
    builtins = [base for base in kind.__mro__ if base.__module__ == "builtins"]
    assert set(builtins) - {Exception, BaseException, object}
    assert kind.__doc__


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (InputError, ValueError),
        (InputTypeError, TypeError),
        (UnknownTermError, LookupError),
        (StorageError, ValueError),
        (ModelError, RuntimeError),
    ],
)
def test_who_expects_the_builtin_catches_it(kind, builtin):
    with pytest.raises(builtin, match=r"^A sentence\.$"):
        raise kind("A sentence.")


@pytest.mark.parametrize("kind", KINDS)
def test_a_sentence_is_shown_without_quotes_around_it(kind):
    assert str(kind("There is no 'age'.")) == "There is no 'age'."


def test_a_model_error_knows_its_rows_and_what_had_been_predicted():
    error = ModelError("No.", rows=np.array([3, 5]), predictions=[[1.0]])
    assert (error.rows, error.predictions) == ((3, 5), [[1.0]])
    plain = ModelError("No.")
    assert (plain.rows, plain.predictions) == ((), None)


@pytest.mark.parametrize("error", [ModelError("No.", rows=(1, 2), predictions=[[0.5]]), UnknownTermError("No term.")])
def test_an_error_that_travels_between_processes_arrives_as_it_was(error):
    arrived = copy.copy(error)  # by the protocol that pickle uses
    assert type(arrived) is type(error)
    assert (str(arrived), vars(arrived)) == (str(error), vars(error))


@pytest.mark.parametrize(
    ("items", "limit", "expected"),
    [
        ([], 5, ""),
        (["age"], 5, "'age'"),
        (["a", "b"], 2, "'a', 'b'"),
        (["a", "b", "c"], 2, "'a', 'b' and 1 more"),
        (range(1000), 1, "0 and 999 more"),
        (("it's", 2.5, None), 5, '"it\'s", 2.5, None'),
    ],
)
def test_a_listing_shows_the_first_items_and_counts_the_others(items, limit, expected):
    assert listing(items, limit) == expected
