"""The row that is looked at, perhaps with changed values: taken apart once for all its pictures."""

from dataclasses import dataclass, field, replace

from anova_report.core.arrays import Floats
from anova_report.explorer.questions import Reply
from anova_report.figures.columns import Rows, force, local_network, waterfall
from anova_report.figures.figure import Figure
from anova_report.measures.local import Explanation, encoded_explanation

EDITED = "with edited values"


@dataclass(frozen=True, eq=False)
class CaseRows(Rows):
    """Rows of which one has been taken apart already.

    Parameters
    ----------
    found : Explanation
        Of that row.
    """

    found: Explanation = field(kw_only=True)

    def explanation(self, row: int, output: int) -> Explanation:  # noqa: ARG002 only one row is ever asked for
        """Return what was found."""
        return self.found


@dataclass(frozen=True, eq=False)
class Case:
    """One row, and how its answer comes about.

    Parameters
    ----------
    rows : CaseRows
        All rows, this one with its edits.
    row, output : int
    is_edited : bool
    reply : Reply or None
        What the model itself said when it was asked.
    """

    rows: CaseRows
    row: int
    output: int
    is_edited: bool
    reply: Reply | None

    @property
    def found(self) -> Explanation:
        """The answer taken apart; without an answer where nobody knows it."""
        return self.rows.found

    def figures(self) -> dict[str, Figure]:
        """Draw how the answer comes about."""
        made = {
            "force": force(self.rows, self.row, self.output, key="row-force"),
            "waterfall": waterfall(self.rows, self.row, self.output, key="row-waterfall"),
            "local": local_network(self.rows, self.row, self.output, key="row-network"),
        }
        if not self.is_edited:
            return made
        return {name: replace(figure, title=f"{figure.title}, {EDITED}") for name, figure in made.items()}


def make_case(rows: Rows, row: int, output: int, values: Floats | None, reply: Reply | None) -> Case:
    """Take one row apart.

    Parameters
    ----------
    rows : Rows
    row, output : int
    values : array of shape (n_features,) or None
        Encoded values that take the place of the row's own; None where nothing was changed.
    reply : Reply or None
        What the model itself said; it counts where the answer is not known from the rows.
    """
    known = None if values is not None or rows.answers is None else float(rows.answers[row, output])
    answer = known if known is not None or reply is None else reply.answer
    shown = rows.values
    if values is not None:
        shown = rows.values.copy()
        shown[row] = values
    found = encoded_explanation(rows.dec, shown[row : row + 1], answer, output)
    return Case(CaseRows(rows.dec, shown, None, rows.seed, found=found), row, output, values is not None, reply)
