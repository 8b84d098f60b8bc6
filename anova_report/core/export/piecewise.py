"""The functions of one feature as cubics, piece by piece: what a program without our code can evaluate."""

from dataclasses import dataclass

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import Marginal, NominalMarginal, NumericMarginal


@dataclass(frozen=True, eq=False)
class Pieces:
    """Functions of one feature: on each piece cubics of u = (x − start) / width, or constants.

    Of an ordered feature the pieces are: below the first break, between breaks, which belong to the piece that they
    begin, from the last break on, each heavy value alone, missing. Of levels: each cell, then levels that the fit has
    not seen.

    Parameters
    ----------
    cubics : array of shape (n_functions, n_pieces, 4)
        Coefficients of 1, u, u², u³.
    breaks, heavy : array
        Empty for levels.
    starts, widths : array of shape (n_breaks + 1,)
        Of the pieces that are no constants; empty for levels.
    """

    cubics: Floats
    breaks: Floats
    heavy: Floats
    starts: Floats
    widths: Floats

    @classmethod
    def of(cls, marginal: Marginal) -> "Pieces":
        """Cut the functions of a feature into pieces."""
        return _of_levels(marginal) if isinstance(marginal, NominalMarginal) else _of_numbers(marginal)

    @property
    def is_ordered(self) -> bool:
        """Whether pieces are ranges of a number; otherwise they are cells of levels."""
        return bool(len(self.breaks))


def _of_levels(marginal: NominalMarginal) -> Pieces:
    none = np.zeros(0)
    unseen = np.zeros((len(marginal.table), 1))
    cubics = np.hstack([marginal.table, unseen])[:, :, None] * np.eye(4)[0]
    return Pieces(cubics, none, none, none, none)


def _of_numbers(marginal: NumericMarginal) -> Pieces:
    breaks, table, slopes = marginal.breaks, marginal.table, marginal.slopes
    widths, whole = np.diff(breaks), (breaks[-1] - breaks[0]) or 1.0
    straight = np.isin(np.arange(len(widths)), marginal.gaps)
    rise = np.diff(table)
    before = np.where(straight, rise, slopes[:, :-1] * widths)
    after = np.where(straight, rise, slopes[:, 1:] * widths)
    inside = np.stack([table[:, :-1], before, 3 * rise - 2 * before - after, before + after - 2 * rise], axis=2)
    edges, beyond = table[:, [0, -1]], np.zeros((len(table), 2))
    if marginal.curved and not marginal.held:
        beyond = slopes[:, [0, -1]] * whole
    else:  # functions are held at what the outermost rows have, with what is added at a heavy value
        edges = edges + marginal.jumps @ (marginal.heavy[:, None] == breaks[[0, -1]])
    ends = np.stack([edges, beyond, 0 * edges, 0 * edges], axis=2)
    moving = np.concatenate([ends[:, :1], inside, ends[:, 1:]], axis=1) / np.sqrt(1 - marginal.missing)
    if marginal.missing:
        present = np.zeros((1, *moving.shape[1:]))
        present[..., 0] = -np.sqrt(marginal.missing / (1 - marginal.missing))
        moving = np.concatenate([present, moving])
    alone = np.asarray(marginal.evaluate(np.r_[marginal.heavy, np.nan]), dtype=np.float64)
    cubics = np.concatenate([moving, alone[:, :, None] * np.eye(4)[0]], axis=1)
    return Pieces(cubics, breaks, marginal.heavy, np.r_[breaks[0], breaks], np.r_[whole, widths, whole])
