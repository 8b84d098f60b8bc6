"""Where the explanation fails, on a page: regions of rows as short rules, and lists of rows to look at."""

from dataclasses import dataclass

from anova_report.figures.figure import Table
from anova_report.figures.rows import Rows
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.failing_regions import FailingRegion, FailingRegions, encoded_failing_regions
from anova_report.measures.row_lists import (
    ExtrapolatedRows,
    LargestResiduals,
    encoded_extrapolated_rows,
    encoded_largest_residuals,
)
from anova_report.measures.rules import Condition
from anova_report.measures.sentences.failures import (
    failures_line,
    failures_words,
    listed_residuals_words,
    listed_unseen_words,
)
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.rows import unseen_words
from anova_report.measures.wording import enumeration, percent

LISTED = 10  # rows of each list on a page
MOST_UNSEEN = 3  # values and combinations that a line names


@dataclass(frozen=True)
class RuleFacts:
    """A rule as data: all of its conditions hold in its rows."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class ListFacts:
    """A list of rows, and a sentence on it; without rows there is no table."""

    words: str
    table: Table | None
    claims: Claims = ()


@dataclass(frozen=True)
class FailureFacts:
    """Where the explanation of one output fails.

    Parameters
    ----------
    words, line : str
        Which regions stand out; and the line to which the section is folded.
    regions : Table or None
        One line per region; None where none stands out.
    rules : tuple of RuleFacts
        Of these regions.
    residuals, extrapolated : ListFacts
        Rows with the largest residuals, and rows of which the fit has not seen something.
    """

    words: str
    line: str
    regions: Table | None
    rules: tuple[RuleFacts, ...]
    residuals: ListFacts
    extrapolated: ListFacts
    claims: Claims = ()


def failure_facts(rows: Rows, output: int) -> FailureFacts | None:
    """Find where the explanation fails; None where predictions were not given."""
    if rows.predictions is None:
        return None
    dec, names = rows.dec, Names.of(rows.dec, output)
    found = encoded_failing_regions(dec, rows.values, rows.predictions, output, rows.seed)
    claims = _claims(found, output)
    return FailureFacts(
        words=failures_words(claims, names),
        line=failures_line(claims),
        regions=_regions_table(found.regions) if found.regions else None,
        rules=tuple(RuleFacts(region.conditions) for region in found.regions),
        residuals=_residuals(
            rows, encoded_largest_residuals(dec, rows.values, rows.predictions, output, LISTED), output
        ),
        extrapolated=_extrapolated(rows, encoded_extrapolated_rows(dec, rows.values, LISTED), output),
        claims=claims,
    )


def _claims(found: FailingRegions, output: int) -> Claims:
    numbers = {"n_rows": float(found.n_rows)}
    if not found.is_judged:
        return (Claim("too few rows for rules", numbers, output=output, over=found.over),)
    tried = Claim("rules tried", {"n_tried": float(found.n_tried)} | numbers, output=output, over=found.over)
    return (tried, *(_region_claim(region, found, output) for region in found.regions))


def _region_claim(region: FailingRegion, found: FailingRegions, output: int) -> Claim:
    numbers = {
        "n_inside": float(region.n_rows),
        "n_judged": float(region.n_judged),
        "share": region.row_share,
        "held": region.residual_share,
        "low": region.interval.low,
        "high": region.interval.high,
        "left": region.unexplained,
        "half": float(region.half),
    }
    features = tuple(dict.fromkeys(condition.feature for condition in region.conditions))
    return Claim("failing region", numbers, features=features, output=output, over=found.over, places=(region.rule,))


def _regions_table(regions: tuple[FailingRegion, ...]) -> Table:
    head = (
        "Rule",
        "Rows judged",
        "Share of the rows",
        "Share of what is unexplained",
        "95% interval",
        "By chance at most",
    )
    lines = (
        (
            region.rule,
            f"{region.n_rows:,} of {region.n_judged:,}",
            percent(region.row_share),
            percent(region.residual_share),
            f"{percent(region.interval.low)} to {percent(region.interval.high)}",
            percent(region.by_chance),
            percent(region.unexplained),
        )
        for region in regions
    )
    return Table((*head, "Mean squared residual, of the variance"), tuple(lines))


def _residuals(rows: Rows, found: LargestResiduals, output: int) -> ListFacts:
    names = Names.of(rows.dec, output)
    at = tuple(row.position for row in found.rows)
    claim = Claim("rows listed by residual", {"n_listed": float(len(at)), "held": found.held}, rows=at, output=output)
    lines = (
        (rows.name(row.position), names.value(row.prediction), names.value(row.explained), names.effect(row.residual))
        for row in found.rows
    )
    table = Table(("Row", "Prediction", "Explained value", "Residual"), tuple(lines))
    return ListFacts(listed_residuals_words(claim), table, (claim,))


def _extrapolated(rows: Rows, found: ExtrapolatedRows, output: int) -> ListFacts:
    numbers = {"n_listed": len(found.rows), "n_beyond": found.n_beyond, "n_rows": found.n_rows}
    at = tuple(row.position for row in found.rows)
    counts = {name: float(count) for name, count in numbers.items()}
    claim = Claim("rows listed by what is unseen", counts, rows=at, output=output)
    lines = tuple(
        (rows.name(row.position), enumeration(unseen_words(row.unseen, found.features), MOST_UNSEEN))
        for row in found.rows
    )
    table = Table(("Row", "What the fit has not seen"), lines) if lines else None
    return ListFacts(listed_unseen_words(claim), table, (claim,))
