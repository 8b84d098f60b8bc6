"""What stays of an explorer where nothing runs: exported notebooks, previews, mail."""

from dataclasses import dataclass
from typing import Self

from markupsafe import Markup

from anova_report.explorer import stills
from anova_report.explorer.fragments import sheet
from anova_report.explorer.views import Views
from anova_report.explorer.words import row_words, term_words
from anova_report.figures.figure import Figure
from anova_report.figures.style import size
from anova_report.measures.wording import percent
from anova_report.report.audit.verdict import headlines, verdict_words
from anova_report.report.page.render import environment
from anova_report.report.page.sheets import confined_styles

NAMED = 3  # terms that the text names
CHOSEN = ("effect", "surface", "slices")  # pictures of the term itself


@dataclass(frozen=True)
class Picture:
    """A figure as a picture in an address, with its size and its words."""

    figure: Figure
    address: str
    width: int
    height: int

    @classmethod
    def of(cls, figure: Figure) -> Self:
        """Draw a figure."""
        return cls(figure, stills.address(figure), *size(figure.data))


@dataclass(frozen=True)
class Section:
    """One part of the page: a heading, sentences, pictures."""

    title: str
    sentences: tuple[str, ...]
    pictures: tuple[Picture, ...]


def html(views: Views) -> str:
    """Draw the present state as static HTML: verdict, shares, the term and the row."""
    found, output = views.findings, views.state.output
    return (
        environment()
        .get_template("explorer/twin.html")
        .render(
            styles=confined_styles() + Markup(sheet("icons.css")),  # noqa: S704 our own file
            verdict=found.verdict,
            statement=verdict_words(views.rows.dec, found, output),
            headlines=headlines(views.rows.dec, found, output),
            sections=_sections(views),
        )
    )


def text(views: Views) -> str:
    """Say the present state in a few lines."""
    state, dec, found = views.state, views.rows.dec, views.findings
    largest = ", ".join(f"{share.label} {percent(share.total)}" for share in state.shares[:NAMED])
    lines = (
        f"Explorer of {_subject(views)}: {found.verdict}. {verdict_words(dec, found, state.output)}",
        f"Largest shares: {largest}.",
        f"Term: {term_words(state)[0]}",
        f"Row {state.row}: {row_words(views)[0]}",
    )
    return "\n".join(lines)


def _subject(views: Views) -> str:
    dec = views.rows.dec
    name = "" if len(dec.output_names) == 1 else f"output {dec.output_names[views.state.output]}, "
    return f"{name}{len(dec.features)} features, {len(views.rows):,} rows"


def _sections(views: Views) -> tuple[Section, ...]:
    label = views.rows.dec.label(views.state.term)
    term, row = views.term(), views.row()
    chosen = [term[name] for name in CHOSEN if name in term] or term.values()
    return (
        _section("What drives the answers", (), (views.overview()["shares"],)),
        _section(f"Term: {label}", term_words(views.state), tuple(chosen)),
        _section(f"Row {views.state.row}", row_words(views), (row["waterfall"],)),
    )


def _section(title: str, sentences: tuple[str, ...], figures: tuple[Figure, ...]) -> Section:
    return Section(title, sentences, tuple(map(Picture.of, figures)))
