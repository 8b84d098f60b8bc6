"""An attribution is plain columns that nobody can change."""

import numpy as np
import pytest

from anova_report.compare import Attribution
from anova_report.core.input.features import Feature
from anova_report.errors import UnknownTermError


@pytest.fixture
def found() -> Attribution:
    return Attribution(
        method="pdp",
        title="Partial dependence",
        features=(Feature("age", "numeric"), Feature("town", "nominal", ("Oslo", "Rome"))),
        rows=np.array([4, 9]),
        values=np.array([[30.0, 1.0], [40.0, np.nan]]),
        contributions=np.array([[-1.0, 0.5], [1.0, -0.5]]),
        output="answer",
        scale="identity",
        counterpart="main effect",
    )


def test_the_frame_has_one_line_per_feature_and_row(found: Attribution) -> None:
    frame = found.frame()
    assert frame["feature"] == ["age", "age", "town", "town"]
    assert frame["row"] == [4, 9, 4, 9]
    assert frame["value"][:3] == [30.0, 40.0, 1.0]
    assert frame["contribution"] == [-1.0, 1.0, 0.5, -0.5]


def test_a_column_is_found_by_name(found: Attribution) -> None:
    values, contributions = found.column("town")
    np.testing.assert_array_equal(values, [1.0, np.nan])
    assert contributions.tolist() == [0.5, -0.5]


def test_an_unknown_feature_is_refused_with_those_there_are(found: Attribution) -> None:
    with pytest.raises(UnknownTermError, match=r"no feature 'size'.*'age', 'town'"):
        found.column("size")


def test_columns_refuse_assignment(found: Attribution) -> None:
    with pytest.raises(ValueError, match="read-only"):
        found.contributions[0, 0] = 2.0
    with pytest.raises(AttributeError):
        found.method = "ale"  # type: ignore[misc]
