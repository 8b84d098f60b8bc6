"""How far features depend on each other, seen from their main effects: what the others could imitate."""

from dataclasses import dataclass

from anova_report.core.arrays import Floats, read_only


@dataclass(frozen=True, eq=False)
class Dependence:
    """How far main effects can be imitated by functions of the other features.

    Parameters
    ----------
    imitated : array of shape (n_features, n_outputs)
        Share of Var(ν_j) that main effects of all other features can reproduce; 0 where ν_j is nothing.
    imitators : tuple of tuple of tuple of int
        For each output and each feature, the fewest other features, at most 4, that together reproduce almost all of
        that; none where little is imitated.
    """

    imitated: Floats
    imitators: tuple[tuple[tuple[int, ...], ...], ...]

    def __post_init__(self) -> None:
        read_only(self.imitated)
