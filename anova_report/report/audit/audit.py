"""An audit: everything a page shows, as plain data. It can be saved, diffed and rendered again without the model."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, TypeAlias

from anova_report.core.result.display import MOST_ROWS, Overview, Shown
from anova_report.figures.figure import Figure, Table
from anova_report.io.documents import Document, Stamp
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.sentences.sections import carried_words
from anova_report.measures.status import Finding, Status, sign_of, verdict_of, worst
from anova_report.measures.wording import percent
from anova_report.report.audit.about import About
from anova_report.report.audit.failures import FailureFacts
from anova_report.report.audit.groups import CohortFacts, GlanceFacts, GroupFacts, JointFacts, ReasonFacts
from anova_report.report.audit.judged import AccuracyFacts, ProtectedFacts
from anova_report.report.audit.what_if import WhatIf

CURE = "Pass a file that `anova-report audit --save` or Audit.save wrote."
STAMP = Stamp("anova_report.audit", 1, "an audit", CURE, ignored=("plots",))  # plots are made of figures when needed

Pairs: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Subject:
    """What was audited.

    Parameters
    ----------
    model : str
        What made the predictions, in words: the class of a model, or the column that holds the predictions.
    scale : str
        What one unit of a prediction means, in a sentence.
    n_rows : int
    notes : tuple of str
        Sentences on what was left out or sampled.
    factors : bool
        Whether effects are factors, since logarithms are explained.
    """

    model: str
    scale: str
    n_rows: int
    notes: tuple[str, ...] = ()
    claims: Claims = ()
    factors: bool = False


@dataclass(frozen=True)
class FeatureFacts:
    """One input: kind, values in words ("0.5 to 15.0, median 3.5"), share of missing values, key of its histogram."""

    name: str
    kind: str
    summary: str
    missing: float
    figure: str
    claims: Claims = ()
    # how readers see the column
    label: str = ""
    unit: str = ""

    @property
    def title(self) -> str:
        """What readers see for its name."""
        return self.label or self.name

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


@dataclass(frozen=True)
class Headline:
    """One of the numbers that decide the verdict: label, the number as text, what it means."""

    label: str
    value: str
    status: Status
    words: str
    claims: Claims = ()


@dataclass(frozen=True)
class MainFacts:
    """A main effect that is shown: its total share, the key of its figure, and why not to read it alone, if so.

    `structural` is None in older documents.
    """

    label: str
    share: float
    figure: str
    note: str = ""
    structural: float | None = None
    claims: Claims = ()

    @property
    def carried(self) -> str:
        """Say how much of the variance it carries."""
        own = self.share if self.structural is None else self.structural
        return carried_words(Claim("carried shares", {"structural": own, "total": self.share}))


@dataclass(frozen=True)
class PairFacts:
    """An interaction that is shown: keys of its surface and, if there is one, of its slices, and a sentence.

    `structural` is None in older documents.
    """

    label: str
    share: float
    words: str
    surface: str
    slices: str | None = None
    structural: float | None = None
    claims: Claims = ()

    @property
    def carried(self) -> str:
        """Say how much of the variance it carries."""
        own = self.share if self.structural is None else self.structural
        return carried_words(Claim("carried shares", {"structural": own, "total": self.share}))


def size(term: MainFacts | PairFacts) -> float:
    """Return the share by which terms are ranked: the structural one, or the size of what older documents know."""
    return abs(term.share) if term.structural is None else term.structural


@dataclass(frozen=True)
class CaseFacts:
    """One row that is explained.

    Parameters
    ----------
    anchor : str
        Unique on the page.
    title : str
        Why this row: "Typical case", "Largest residual" ….
    row : str
        Which row, in words.
    words : str
        A sentence on what its prediction is made of.
    prediction, explained, remainder : float
        Prediction and remainder are None where the predictions were not given.
    force, waterfall, network : str
        Keys of figures.
    values : pairs of str
        The row's features and their values.
    claims : tuple of Claim
        Why this row, and what the sentence is made of.
    reasons : tuple of ReasonFacts
        The features, or groups of features, that move its prediction most.
    shown : tuple of str
        Prediction, explained value and residual as readers see them; empty in older documents.
    """

    anchor: str
    title: str
    row: str
    words: str
    prediction: float | None
    explained: float
    remainder: float | None
    force: str
    waterfall: str
    network: str
    values: Pairs
    claims: Claims = ()
    reasons: tuple[ReasonFacts, ...] = ()
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class MethodFacts:
    """Another way to explain: its name, what it is compared with, why, how closely it agrees, how it was made."""

    title: str
    counterpart: str
    why: str
    words: str
    note: str


@dataclass(frozen=True)
class OtherFacts:
    """Other explanations of the same rows.

    Parameters
    ----------
    methods : tuple of MethodFacts
    correlation, distance : Table
        One line per feature, one column per method.
    n_left_out : int
        Further features that are not listed.
    questions : Table or None
        Which question each method answers, and where it is farthest from ours; None in older documents.
    """

    methods: tuple[MethodFacts, ...]
    correlation: Table
    distance: Table
    n_left_out: int = 0
    questions: Table | None = None
    claims: Claims = ()


@dataclass(frozen=True)
class OutputAudit:
    """The audit of one output (one class, or the only prediction).

    Parameters
    ----------
    name : str
    anchor : str
        Unique on the page.
    summary : str
        How the predictions are spread, in a sentence.
    predictions : str
        Key of the histogram of the predictions.
    verdict : {"pass", "warn", "fail"}
    verdict_words : str
        One sentence for someone who reads nothing else.
    headlines : tuple of Headline
        Fidelity, unexplained share, the overlap that decides; on held-out rows where there are any.
    findings : tuple of Finding
    totals, shares : str
        Keys of figures: shares by feature and by term.
    network : str or None
    mains : tuple of MainFacts
        Largest structural share first.
    more_mains, more_pairs, higher : Table or None
        Terms that are not drawn; terms of three features.
    pairs : tuple of PairFacts
    cases : tuple of CaseFacts
    scatter, regions : str or None
        None where the predictions were not given.
    matrix : str or None
        None where there are no pairs.
    orthogonality, stability : Table
        The largest cosines with noise floors and leakage; how shares move when replicates of rows are left out.
    others : OtherFacts or None
        None where no other explanations were given.
    joints : tuple of JointFacts
        Features that are read together.
    carrying : tuple of two int, or None
        How many main effects and how many pairs carry 1% of the variance; None in older documents.
    claims : tuple of Claim
        What the summary is made of. As everywhere, older documents hold none.
    influential : Table or None
        The rows that R² rests on, where these are few.
    groups : GroupFacts or None
        Groups of features, where they were named.
    cohort : CohortFacts or None
        Which rows these are, where they are a cohort, and what is different there.
    accuracy : AccuracyFacts or None
        How close predictions come to the observed target, where it was given.
    protected : tuple of ProtectedFacts
        How protected columns go with the predictions.
    left_out : dict of str to str
        What "mains", "pairs" and "higher" terms that are not drawn add up to; empty in older documents.
    failures : FailureFacts or None
        Where the explanation fails; None where the predictions were not given, and in older documents.
    glance : GlanceFacts or None
        All rows at a glance; None in older documents.
    """

    name: str
    anchor: str
    summary: str
    predictions: str | None
    verdict: Status
    verdict_words: str
    headlines: tuple[Headline, ...]
    findings: tuple[Finding, ...]
    totals: str
    shares: str
    network: str | None
    mains: tuple[MainFacts, ...]
    pairs: tuple[PairFacts, ...]
    cases: tuple[CaseFacts, ...]
    scatter: str | None
    regions: str | None
    matrix: str | None
    orthogonality: Table
    stability: Table
    more_mains: Table | None = None
    more_pairs: Table | None = None
    higher: Table | None = None
    others: OtherFacts | None = None
    joints: tuple[JointFacts, ...] = ()
    carrying: tuple[int, int] | None = None
    claims: Claims = ()
    influential: Table | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    groups: GroupFacts | None = None
    cohort: CohortFacts | None = None
    accuracy: AccuracyFacts | None = None
    protected: tuple[ProtectedFacts, ...] = ()
    base: str = ""
    failures: FailureFacts | None = None
    glance: GlanceFacts | None = None

    @property
    def sign(self) -> str:
        """The verdict in words."""
        return sign_of(self.findings)

    @property
    def waived(self) -> tuple[Finding, ...]:
        """Findings that somebody accepts."""
        return tuple(item for item in self.findings if item.waiver is not None)


@dataclass(frozen=True)
class Provenance:
    """What was audited, with what, and how to do it again: digests, versions, settings, the command.

    `asking` holds sentences on where the model was asked beside the rows; documents of earlier versions have none, nor
    anything on the file of the model and the libraries that it is made of.
    """

    data_digest: str
    predictions_digest: str
    versions: Pairs
    settings: Pairs
    command: str
    asking: tuple[str, ...] = ()
    model_file: str = ""
    model_digest: str = ""
    model_versions: Pairs = ()
    claims: Claims = ()


@dataclass(frozen=True)
class RunFacts:
    """When the audit was made and how long its stages took; the only part that differs between equal runs."""

    created: str
    seconds: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, repr=False)
class Audit(Shown, Document):
    """Facts, findings, figures and provenance of one audit, in JSON types.

    Parameters
    ----------
    title : str
    subject : Subject
    features : tuple of FeatureFacts
    outputs : tuple of OutputAudit
    provenance : Provenance
    run : RunFacts
    figures : dict of str to Figure
        The figures by their keys.
    limits : Table
        What each check measures, its limits and why.
    support : str
        Where pictures show effects, in sentences; empty in older documents.
    claims : tuple of Claim
        What `support` is made of.
    about : About or None
        Who answers for the model, and what it is for, where that was said.
    what_if : WhatIf or None
        What the page evaluates by itself; None where that was not wanted, and in older documents.
    """

    stamp: ClassVar[Stamp] = STAMP
    in_full: ClassVar[tuple[str, ...]] = ("features", "provenance", "about", "what_if")

    title: str
    subject: Subject
    features: tuple[FeatureFacts, ...]
    outputs: tuple[OutputAudit, ...]
    provenance: Provenance
    run: RunFacts
    figures: dict[str, Figure]
    limits: Table = field(default_factory=lambda: Table((), ()))
    support: str = ""
    claims: Claims = ()
    about: About | None = None
    what_if: WhatIf | None = None

    @property
    def verdict(self) -> Status:
        """The worst verdict among the outputs."""
        return worst(output.verdict for output in self.outputs)

    @property
    def sign(self) -> str:
        """The verdict in words: that of the first output with it."""
        return next(output.sign for output in self.outputs if output.verdict == self.verdict)

    def overview(self) -> Overview:
        """Choose what is shown: what was audited, the verdicts, and the largest terms of the first output."""
        several = len(self.outputs) > 1
        said = [(f"{output.name}: " if several else "", output) for output in self.outputs]
        first = self.outputs[0]
        drawn: list[MainFacts | PairFacts] = [*first.mains, *first.pairs]
        largest = sorted(drawn, key=lambda term: -size(term))[:MOST_ROWS]
        of = f" of {first.name}" if several else ""
        return Overview(
            self.title,
            (*(f"{named}{output.verdict}. {output.verdict_words}" for named, output in said), *self.subject.notes),
            ("term", f"structural share{of}", f"total share{of}"),
            tuple((term.label, percent(size(term)), percent(term.share)) for term in largest),
        )

    def contradiction(self) -> str:
        """Say if a verdict is not that of its findings, or a figure is named that is not there."""
        named = [*(feature.figure for feature in self.features), *chain(*map(_named_figures, self.outputs))]
        missing = next((key for key in named if key is not None and key not in self.figures), None)
        if missing is not None:
            return f"it names the figure {missing[:60]!r}, which it does not have"
        if self.what_if is not None and not self.what_if.is_of(len(self.features), len(self.outputs)):
            return "its what-if panel has other features or outputs"
        return contradicted((output.name, output.verdict, output.findings) for output in self.outputs)


def _named_figures(output: OutputAudit) -> Iterator[str | None]:
    """Go through the keys of the figures of an output."""
    yield from (output.predictions, output.totals, output.shares, output.network)
    yield from (output.scatter, output.regions, output.matrix)
    if output.glance is not None:
        yield from (output.glance.features, output.glance.terms, *output.glance.effects)
    yield from (main.figure for main in output.mains)
    for pair in output.pairs:
        yield from (pair.surface, pair.slices)
    for case in output.cases:
        yield from (case.force, case.waterfall, case.network)
    grouped = () if output.groups is None else output.groups.joints
    yield None if output.groups is None else output.groups.totals
    for joint in (*output.joints, *grouped):
        yield from (joint.shares, joint.surface, joint.along, *joint.members)
    if output.accuracy is not None:
        yield from (output.accuracy.calibration, *(key for _, key in output.accuracy.along))
    yield from (ledger.figure for column in output.protected for ledger in column.ledgers)


def contradicted(outputs: Iterable[tuple[str, Status, tuple[Finding, ...]]]) -> str:
    """Say which of some outputs has a verdict that its findings do not give; empty where none has.

    Examples
    --------
    >>> contradicted([("price", "pass", (Finding("AR002", "Fidelity", "fail", 0.4, 0.3, "It fails."),))])
    'the verdict on price is pass, but its findings say fail'
    """
    given = list(outputs)
    if not given:
        return "it has no output"
    found = ((name, verdict, verdict_of(items)) for name, verdict, items in given)
    wrong = next((one for one in found if one[1] != one[2]), None)
    return "" if wrong is None else f"the verdict on {wrong[0]:.60} is {wrong[1]}, but its findings say {wrong[2]}"
