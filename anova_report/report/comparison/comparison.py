"""A comparison of two decompositions: everything its page shows, as plain data, and the page itself.

The few facts the page carries for machines have the form of an audit's, so that it can be mailed.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

from anova_report.compare.versions.comparison_claims import counted_claim
from anova_report.core.result.display import Overview, Shown
from anova_report.figures.figure import Figure, Table
from anova_report.io import files
from anova_report.io.documents import Document, Stamp
from anova_report.measures.claims import Claim, Claims, of_output
from anova_report.measures.sentences import comparison as words
from anova_report.measures.status import Status
from anova_report.report.audit.audit import Headline, Pairs, RunFacts
from anova_report.report.page.page_facts import OutputFacts, PageFacts
from anova_report.report.page.page_one import SearchEntry, Section
from anova_report.report.page.render import fill_page

Outcome: TypeAlias = Literal["same", "different", "undetermined"]

CURE = "Pass a file that `anova-report compare --save` or ComparisonPage.save wrote."
STAMP = Stamp("anova_report.comparison", 1, "a comparison", CURE)
COMMON = (
    Section("compared", "What was compared", "Rows, features and terms of both"),
    Section("method", "How to read it", "What is compared, and when a difference counts"),
    Section("provenance", "Provenance", "Settings, versions, how to make this page again"),
)
VERDICTS: dict[bool | None, Status] = {True: "fail", False: "pass", None: "warn"}
SIGNS: dict[bool | None, str] = {True: "Function changed", False: "Same function", None: "Cannot be determined"}
OUTCOMES: dict[bool | None, Outcome] = {True: "different", False: "same", None: "undetermined"}


@dataclass(frozen=True)
class MainContrast:
    """A main effect in both: whether it differs by more than chance (None: not known), and the key of its figure."""

    label: str
    differs: bool | None
    figure: str


@dataclass(frozen=True)
class PairContrast:
    """A pair in both: keys of the first surface, the second, and their difference; and a sentence."""

    label: str
    differs: bool | None
    words: str
    first: str
    second: str
    difference: str
    claims: Claims = ()


@dataclass(frozen=True)
class OutputComparison:
    """The comparison of one output.

    Parameters
    ----------
    name, anchor : str
    changed : bool or None
        Whether predictions are further apart than the limit; None where that cannot be determined.
    words : str
        For someone who reads nothing else: whether the function changed, whether the inputs moved, and where.
    headlines : tuple of Headline
        How far the predictions lie apart, their means, how many effects differ, the fidelity of both.
    different : tuple of str
        Effects that differ by more than chance, the largest distance first.
    moved : tuple of str
        Features and terms whose shares have moved by more than chance.
    feature_drift, term_drift : str
        Keys of figures.
    mains : tuple of MainContrast
        Main effects that differ, the largest distance first; all where that is not known.
    pairs : tuple of PairContrast
        Pairs that differ, likewise.
    agreeing : tuple of MainContrast
        Main effects that agree, the largest share first.
    more : int
        Main effects and pairs that differ, or may, and are not drawn.
    fidelity : Table
        How closely each explanation follows its own predictions.
    effects, shares : Table
        All differences.
    inputs_moved : tuple of str
        Features whose law moved, and pairs that go together differently.
    inputs : Table or None
        How far the law of every feature moved; None where both come from the same rows.
    claims : tuple of Claim
        What `words` is made of.
    """

    name: str
    anchor: str
    changed: bool | None
    words: str
    headlines: tuple[Headline, ...]
    different: tuple[str, ...]
    moved: tuple[str, ...]
    feature_drift: str
    term_drift: str
    mains: tuple[MainContrast, ...]
    pairs: tuple[PairContrast, ...]
    agreeing: tuple[MainContrast, ...]
    more: int
    fidelity: Table
    effects: Table
    shares: Table
    inputs_moved: tuple[str, ...] = ()
    inputs: Table | None = None
    claims: Claims = ()

    @property
    def sign(self) -> str:
        """Whether function and inputs changed, in a few words."""
        function = SIGNS[self.changed]
        return f"{function}, inputs moved" if self.inputs_moved else function

    @property
    def verdict(self) -> Status:
        """The status with which it is shown."""
        return VERDICTS[self.changed]

    @property
    def outcome(self) -> Outcome:
        """The answer for programs."""
        return OUTCOMES[self.changed]


@dataclass(frozen=True, repr=False)
class ComparisonPage(Shown, Document):
    """Two decompositions side by side, in JSON types.

    Parameters
    ----------
    title : str
    names : tuple of two str
    scale : str
        What one unit of a prediction means, in a sentence.
    facts : Table
        Rows, features and terms of both.
    notes : tuple of str
        Sentences on what was compared and how bands were made.
    outputs : tuple of OutputComparison
    settings : Table
        The settings of both estimators.
    versions : pairs of str
    command : str
    run : RunFacts
    figures : dict of str to Figure
    claims : tuple of Claim
        What `notes` are made of.
    """

    stamp: ClassVar[Stamp] = STAMP
    in_full: ClassVar[tuple[str, ...]] = ("command",)

    title: str
    names: tuple[str, str]
    scale: str
    facts: Table
    notes: tuple[str, ...]
    outputs: tuple[OutputComparison, ...]
    settings: Table
    versions: Pairs
    command: str
    run: RunFacts
    figures: dict[str, Figure]
    claims: Claims = ()

    @property
    def changed(self) -> bool | None:
        """Whether the function changed in any output; None if in none, but in some that cannot be determined."""
        found = {output.changed for output in self.outputs}
        return True if True in found else None if None in found else False

    @property
    def outcome(self) -> Outcome:
        """The answer for programs."""
        return OUTCOMES[self.changed]

    def contradiction(self) -> str:
        """Say if there is nothing in it."""
        return "" if self.outputs else "it has no output"

    def overview(self) -> Overview:
        """Choose what is shown: whether the function changed, and the numbers that say so of the first output."""
        rows = tuple((item.label, item.value) for item in self.outputs[0].headlines)
        return Overview(self.title, tuple(output.words for output in self.outputs), ("number", "value"), rows)


def comparison_facts(comparison: ComparisonPage) -> PageFacts:
    """Choose what the page carries: its verdict is that of the first output that decides."""
    decisive = next(output for output in comparison.outputs if output.changed is comparison.changed)
    first, second = comparison.names
    return PageFacts(
        title=comparison.title,
        subject=f"{second} beside {first}",
        created=comparison.run.created,
        verdict=decisive.verdict,
        verdict_words=decisive.words,
        outputs=tuple(map(_output_facts, comparison.outputs)),
    )


def _output_facts(output: OutputComparison) -> OutputFacts:
    headlines = tuple(replace(item, claims=()) for item in output.headlines)
    return OutputFacts(output.name, output.verdict, output.words, headlines, (), (), sign=output.sign)


def render_comparison(comparison: ComparisonPage) -> str:
    """Write the page of a comparison; the same comparison gives the same text."""
    more = {
        "outputs": [comparison_sections(comparison, output) for output in comparison.outputs],
        "sections": {section.anchor: section for section in COMMON},
        "entries": [
            SearchEntry(f"{output.name}: {main.label}" if len(comparison.outputs) > 1 else main.label, main.figure)
            for output in comparison.outputs
            for main in (*output.mains, *output.agreeing)
        ],
    }
    return fill_page("comparison", comparison, comparison_facts(comparison), sheet="comparison.css", more=more)


def comparison_sections(comparison: ComparisonPage, output: OutputComparison) -> dict[str, Section]:
    """Fold the sections of an output to a line each."""
    known = all(main.differs is not None for main in output.mains)
    counted = counted_claim(len(output.different), len(output.effects.rows))
    differing = counted if known else Claim("effects not compared")
    moved = {"n_moved": float(len(output.moved)), "n_shares": float(len(output.shares.rows))}
    shares, agreeing = (
        Claim("shares that moved", moved),
        Claim("effects that agree", {"n_drawn": 1.0 * len(output.agreeing)}),
    )
    fidelity = tuple(claim for item in output.headlines for claim in item.claims if claim.kind.startswith("R²"))
    written = output.fidelity.rows[0] if output.fidelity.rows else ("", "", "")
    both = "; ".join(map(": ".join, zip(comparison.names, written[1:], strict=False)))
    of = comparison.outputs.index(output)
    made = (
        Section("differs", "What differs", words.differing_line_words((differing,)), claims=(differing,)),
        Section("shares", "Shares", words.moved_line_words((shares,)), claims=(shares,)),
        # A document of an earlier version knows R² in words only.
        Section("fidelity", "Fidelity", words.fidelity_line_words(fidelity) or both, claims=fidelity),
        Section("agrees", "What agrees", words.agreeing_line_words((agreeing,)), claims=(agreeing,)),
    )
    return {section.anchor: replace(section, claims=of_output(section.claims, of)) for section in made}


def write_comparison(comparison: ComparisonPage, path: str | os.PathLike[str]) -> Path:
    """Write the page of a comparison to a file; a reader sees the old file or the new one, never half of it."""
    return files.write_text(path, render_comparison(comparison))
