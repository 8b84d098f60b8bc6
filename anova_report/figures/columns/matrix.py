"""Orthogonality of pairs and main effects, feature by feature."""

from collections.abc import Sequence

from anova_report.core.decomposition import Decomposition
from anova_report.figures.columns.shares import largest_features, linked_features
from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Cell, Matrix, Status
from anova_report.measures.findings import COSINE
from anova_report.measures.orthogonality import MAX_CORR_SHARE, Cosine, orthogonality
from anova_report.measures.wording import cosine, percent

MOST_FEATURES = 16
MOST_LINES = 40
DECIMALS = 6
STATUS_WORDS: dict[Status, str] = {
    "fine": "within chance",
    "slight": "above chance, within the limit",
    "beyond": "beyond the limit",
    "small": "of a term too small to count",
}


def matrix_figure(
    dec: Decomposition, output: str | int = 0, *, top: int = MOST_FEATURES, key: str | None = None
) -> Figure:
    """Draw how far pairs are from being orthogonal to their main effects, and main effects to the mean."""
    chosen = dec.output_index(output)
    found = [item for item in orthogonality(dec, chosen).cosines if len(item.part) == len(item.term) - 1 < 2]
    sizes = {item.term: item.share for item in found}
    drawn = linked_features(largest_features(dec, chosen), sizes, top, n_linked=top)
    place = {index: at for at, index in enumerate(drawn)}
    cells = tuple(_cell(item, place) for item in found if place.keys() >= set(item.term))
    features = tuple(dec.feature_names[index] for index in place)
    data = Matrix(features, cells, limit=COSINE.fail)
    return Figure(key or f"o{chosen}-matrix", "Orthogonality", _alt(dec, cells), data, _table(cells))


def _cell(item: Cosine, place: dict[int, int]) -> Cell:
    value, floor = item.judged
    row = item.part[0] if item.part else item.term[0]
    column = next((index for index in item.term if index != row), row)
    return Cell(
        place[row],
        place[column],
        item.label,
        value=round(value, DECIMALS),
        floor=round(floor, DECIMALS),
        share=round(item.share, DECIMALS),
        status=_status(item),
    )


def _status(item: Cosine) -> Status:
    value, floor = item.judged
    if not item.counts:
        return "small"
    if abs(value) <= floor:
        return "fine"
    return "beyond" if item.beyond_noise > 0 and COSINE.judge(abs(value)) != "pass" else "slight"


def _alt(dec: Decomposition, cells: Sequence[Cell]) -> str:
    where = "held-out rows" if dec.held_out is not None else "the rows of the fit"
    counted = [cell for cell in cells if cell.status != "small"]
    if not counted:
        least = percent(MAX_CORR_SHARE)
        return f"Of {len(cells)} cosines on {where}, none belongs to a term with {least} of the variance."
    worst = max(counted, key=lambda cell: abs(cell.value))
    beyond = sum(cell.status == "beyond" for cell in counted)
    return (
        f"Of {len(counted)} cosines on {where}, {beyond} lie beyond the limit of {COSINE.warn}; the largest is "
        f"{cosine(worst.value)} ({worst.label}), where chance alone gives up to {cosine(worst.floor)}."
    )


def _table(cells: Sequence[Cell]) -> Table:
    """List the largest cosines, those of terms that count first."""
    ranked = sorted(cells, key=lambda cell: (cell.status == "small", -abs(cell.value)))[:MOST_LINES]
    lines = (
        (cell.label, cosine(cell.value), cosine(cell.floor), percent(cell.share), STATUS_WORDS[cell.status])
        for cell in ranked
    )
    return Table(("term | part", "cosine", "noise floor", "share of the term", "status"), tuple(lines))
