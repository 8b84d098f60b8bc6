"""The rows that fidelity rests on: which they are, and what R² would be without each."""

from dataclasses import dataclass, fields
from math import ceil

from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import Shown
from anova_report.measures.fidelity import fidelity


@dataclass(frozen=True)
class InfluentialRow:
    """A held-out row that R² rests on.

    Parameters
    ----------
    position : int
        In the table of the fit.
    residual_share : float
        Its part of the sum of squared residuals.
    prediction_share : float or None
        Its part of the sum of squared deviations of the predictions from their mean.
    r_squared_without : float or None
        R² of the other held-out rows. Files of earlier versions have neither.
    """

    position: int
    residual_share: float
    prediction_share: float | None
    r_squared_without: float | None


@dataclass(frozen=True, repr=False)
class InfluentialRows(Shown):
    """The rows that R² on held-out rows rests on.

    Parameters
    ----------
    rows : tuple of InfluentialRow
        First the one without which R² changes most; as many as decide, and no more than a decomposition keeps.
    deciding_rows : float or None
        How many rows, effectively, decide R²; see `Fidelity`.
    n_held_out : int
        Of how many.
    """

    rows: tuple[InfluentialRow, ...]
    deciding_rows: float | None
    n_held_out: int

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`, one line per row."""
        return {field.name: [getattr(row, field.name) for row in self.rows] for field in fields(InfluentialRow)}


def influential_rows(dec: Decomposition, output: str | int | None = None) -> InfluentialRows:
    """List the held-out rows that R² rests on; none where no rows are held out.

    Parameters
    ----------
    dec : Decomposition
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> predictions = X[:, 0] + X[:, 1]
    >>> predictions[7] += 50
    >>> dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, predictions).decomposition_
    >>> influential_rows(dec).rows[0].position
    7
    """
    index = dec.output_index(output)
    found, known = fidelity(dec, index), None if dec.held_out is None else dec.held_out.hardest
    if known is None or found.deciding_rows is None:
        return InfluentialRows((), found.deciding_rows, found.n_held_out)
    rows = []
    for at in range(min(ceil(found.deciding_rows), len(known.positions))):
        residual = float(known.shares[at, index])
        height = None if known.prediction_shares is None else float(known.prediction_shares[at, index])
        without = None if height is None or height >= 1 else 1 - found.unexplained * (1 - residual) / (1 - height)
        rows.append(InfluentialRow(int(known.positions[at, index]), residual, height, without))
    return InfluentialRows(tuple(rows), found.deciding_rows, found.n_held_out)
