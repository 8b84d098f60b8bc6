"""Other explanations of the rows of an audit: what each is compared with, and how closely it agrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anova_report.compare import Agreement, Attribution, agreement
from anova_report.compare.methods.questions import OURS, QUESTIONS, farthest
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import CARRIES
from anova_report.errors import InputError, listing
from anova_report.figures.effects import overlaid
from anova_report.figures.figure import Figure, Table
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.sections import agreement_words, farthest_words, ground_words
from anova_report.measures.variance import feature_totals
from anova_report.measures.wording import cosine, percent
from anova_report.report.audit.audit import MethodFacts, OtherFacts
from anova_report.report.audit.sentences import UNKNOWN

FIRST = 3
MOST_FEATURES = 15


@dataclass(frozen=True, eq=False)
class OtherExplanations:
    """Other explanations, and the table from which they were made."""

    X: Any
    given: tuple[Attribution, ...]

    def of(self, dec: Decomposition, output: int) -> tuple[Attribution, ...]:
        """Choose the explanations of one output; of a decomposition with several, each must explain one of them."""
        if len(dec.output_names) == 1:
            return self.given
        lost = [other.output for other in self.given if other.output not in dec.output_names]
        if lost:
            known = listing(dec.output_names)
            raise InputError(f"{listing(lost)} is no output of the decomposition, which has {known}.")
        return tuple(other for other in self.given if other.output == dec.output_names[output])

    def overlay(self, figure: Figure, dec: Decomposition, index: int, output: int) -> Figure:
        """Draw them over the main effect of a feature, unless it hardly matters."""
        totals = [abs(total.share) for total in feature_totals(dec, output).features]
        rank = sorted(range(len(totals)), key=lambda at: -totals[at]).index(index)
        if totals[index] < CARRIES and rank >= FIRST:
            return figure
        others = tuple(other.folded(dec.features) for other in self.of(dec, output))
        return overlaid(figure, dec.features[index], others)

    def facts(self, dec: Decomposition, output: int) -> OtherFacts | None:
        """Measure how closely they agree with the decomposition; None where there are none of this output."""
        others = self.of(dec, output)
        found = [agreement(dec, self.X, other, output) for other in others]
        if not found:
            return None
        names = Names.of(dec, output)
        chosen = [item.feature for item in found[0].ranked()[:MOST_FEATURES]]
        titles = [item.title for item in found]
        correlations, distances = [], []
        for name in chosen:
            items = [next(item for item in each.features if item.feature == name) for each in found]
            cells = [UNKNOWN if item.correlation is None else cosine(item.correlation) for item in items]
            title = dec.features[dec.feature_index(name)].title
            correlations.append((title, percent(items[0].share), *cells))
            # Main effect and Shapley value differ, and so do the sizes of what methods are compared with.
            low, high = (names.bound(pick(item.ours for item in items)) for pick in (min, max))
            apart = [UNKNOWN if item.distance is None else names.bound(item.distance) for item in items]
            distances.append((title, low if low == high else f"{low} to {high}", *apart))
        return OtherFacts(
            methods=tuple(_method(dec, item, other) for item, other in zip(found, others, strict=True)),
            correlation=Table(("Feature", "Share", *titles), tuple(correlations)),
            distance=Table(("Feature", "Size of our counterparts", *titles), tuple(distances)),
            n_left_out=len(dec.features) - len(chosen),
            questions=_questions(dec, found, output),
            claims=tuple(claim for each in found for claim in _farthest_claims(dec, each, output)),
        )


def _questions(dec: Decomposition, found: Sequence[Agreement], output: int) -> Table:
    """Say which question each method answers, ours first, and where it is farthest from ours on these rows."""
    head = (
        "Method",
        "Holds fixed",
        "Averages over",
        "Question it answers",
        "Farthest from this audit",
        "What these rows say",
    )
    lines = [("This audit", OURS.fixed, OURS.law, OURS.answers, UNKNOWN, UNKNOWN)]
    names = Names.of(dec, output)
    for each in found:
        question, stated = QUESTIONS[each.method], _farthest_claims(dec, each, output)
        where, why = UNKNOWN, UNKNOWN
        if stated:
            where = farthest_words(stated[0], names)
            why = ground_words(stated[1], names, recombines=question.recombines)
        lines.append((each.title, question.fixed, question.law, question.answers, where, why))
    return Table(head, tuple(lines))


def _farthest_claims(dec: Decomposition, found: Agreement, output: int) -> Claims:
    """State where a method is farthest from ours, and what these rows say about why; nothing where it says nothing."""
    most = farthest(dec, found, output)
    if most is None:
        return ()
    sizes = {"distance": most.distance, "size": most.size}
    where = Claim("farthest from a method", sizes, features=(most.feature,), output=output, places=(found.title,))
    if most.ground == "dependence" and most.other is not None:
        both = (most.feature, most.other)
        return where, Claim("features that go together", {"correlation": most.measured}, features=both, output=output)
    if most.ground == "interactions":
        of = (most.feature,)
        return where, Claim("interactions of a feature", {"share": most.measured}, features=of, output=output)
    return where, Claim("unexplained share", {"share": most.measured}, output=output)


def _method(dec: Decomposition, found: Agreement, other: Attribution) -> MethodFacts:
    known = [item for item in found.features if item.correlation is not None and item.share >= CARRIES]
    worst = min(known, key=lambda item: item.correlation or 0.0, default=None)
    words = ""
    if worst is not None and worst.correlation is not None:
        least = Claim("least correlation of a method", {"correlation": worst.correlation, "least": CARRIES})
        words = agreement_words(least, dec.features[dec.feature_index(worst.feature)].title)
    return MethodFacts(other.title, f"Compared with our {found.counterpart}.", found.why, words, found.note)
