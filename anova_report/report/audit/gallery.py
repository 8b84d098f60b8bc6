"""Figures as they are made: kept by key, drawn live, counted on a progress bar."""

from types import TracebackType
from typing import Any, Self

from tqdm.auto import tqdm

from anova_report.core.progress import DELAY
from anova_report.figures.figure import Figure


class Gallery:
    """Collects the figures of an audit.

    Parameters
    ----------
    total : int
        How many figures there will be, about.
    show : bool
        Show a bar once making them has taken two seconds.
    """

    def __init__(self, total: int, show: bool) -> None:
        self.figures: dict[str, Figure] = {}
        self.plots: dict[str, Any] = {}
        from anova_report.figures.live import PlotWriter  # noqa: PLC0415 bokeh takes a second; reading an audit needs none

        self._writer = PlotWriter()
        self._bar = tqdm(total=total, desc="drawing", unit="figure", delay=DELAY, disable=not show, leave=False)

    def hang(self, figure: Figure, *, live: bool = True) -> str:
        """Keep a figure and return its key; one that is not live is only drawn as a static picture."""
        self.figures[figure.key] = figure
        if live:
            self.plots[figure.key] = self._writer.write(figure)
        self._bar.update()
        return figure.key

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()
