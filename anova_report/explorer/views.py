"""From the present choice to the pictures that show it, as plain data, and to what they say, in sentences.

What has not changed is not made again. Logits are shown as probabilities for whole answers only, since effects do not
add up as probabilities.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.special import expit

from anova_report.core.arrays import Floats
from anova_report.core.terms import Term
from anova_report.explorer.overlays import Laid, overlaid
from anova_report.explorer.pointing import Groups, can_be_traced, grouped, marked, marked_row, traced
from anova_report.explorer.state import PROBABILITY, State
from anova_report.explorer.what_if import Case, Reply, Value, asked, make_case
from anova_report.figures.columns import (
    Rows,
    main_effect,
    matrix_figure,
    network_figure,
    pair_slices,
    pair_surface,
    regions_figure,
    row_values,
    scatter_figure,
    shares_figure,
)
from anova_report.figures.columns.agreement import SCATTER_ROWS
from anova_report.figures.figure import Figure
from anova_report.figures.kinds import Scatter
from anova_report.measures.findings import findings
from anova_report.measures.local import MOST_ROWS, Explanation
from anova_report.measures.status import Findings
from anova_report.measures.wording import number, percent, signed
from anova_report.report.audit.build_audit import pair_words
from anova_report.report.audit.row_facts import case_words

PROBABILITY_NOTE = (
    "Whole answers and explanations are shown as probabilities. Effects and contributions stay on the logit scale, "
    "where they add up: what +1 does to a probability depends on where it starts."
)


@dataclass(frozen=True, eq=False)
class ProbabilityRows(Rows):
    """Rows whose answers and explanations were logits and are probabilities now."""

    @classmethod
    def from_logits(cls, rows: Rows) -> Self:
        """Turn the answers of rows into probabilities."""
        answers = None if rows.answers is None else as_probability(rows.answers)
        return cls(replace(rows.dec, scale="probability"), rows.values, answers, rows.seed)

    @cached_property
    def explained(self) -> Floats:
        """Explanations of the rows of `sample` as probabilities, shape (n_sample, n_outputs)."""
        return as_probability(self.dec.expansion.predict(self.values[self.sample]))

    def explanation(self, row: int, output: int) -> Explanation:
        """Explain one row; only the whole is a probability, its parts stay logits."""
        logits = replace(self, answers=None)
        found = Rows.explanation(logits, row, output)
        return replace(found, explained=probability(found.explained))


def as_probability(logits: Floats) -> Floats:
    """Apply the logistic function."""
    return np.asarray(expit(logits), dtype=np.float64)


def probability(logit: float) -> float:
    """Apply the logistic function to one number.

    Examples
    --------
    >>> probability(0.0), round(probability(np.log(3)), 6)
    (0.5, 0.75)
    """
    return float(expit(logit))


def probability_words(found: Explanation) -> str:
    """Say where a row starts and where it gets to, as probabilities.

    Examples
    --------
    >>> probability_words(Explanation(0.0, (), float(np.log(3)), None, None, ()))
    'As probabilities: from 50.0% at the mean to 75.0% explained.'
    """
    words = f"from {percent(probability(found.mean))} at the mean to {percent(probability(found.explained))} explained"
    if found.answer is None:
        return f"As probabilities: {words}."
    return f"As probabilities: {words}; the answer is {percent(probability(found.answer))}."


Figures: TypeAlias = dict[str, Figure]

TABS = ("overview", "term", "row", "trust")
KEPT = 64  # pictures of a kind that are kept: enough to go back and forth


class Views:
    """Pictures of the present choice.

    Every picture has a name that says where it stands; what it is depends on the choice.

    Parameters
    ----------
    state : State
    model : callable or object with predict, predict_proba or decision_function, optional
        Asked about rows whose answers are not known.
    """

    def __init__(self, state: State, model: Any = None) -> None:
        self.state, self.model = state, model
        self._main = lru_cache(KEPT)(self._draw_main)
        self._others = lru_cache(KEPT)(self._draw_others)
        self._pair = lru_cache(KEPT)(self._draw_pair)
        self._output = lru_cache(KEPT)(self._draw_output)
        self._scatter = lru_cache(KEPT)(self._draw_scatter)
        self._case = lru_cache(KEPT)(self._make_case)
        self._row = lru_cache(KEPT)(Case.figures)
        self._findings = lru_cache(KEPT)(self._check)

    @property
    def rows(self) -> Rows:
        """What is drawn from."""
        return self.state.rows

    @cached_property
    def has_pairs(self) -> bool:
        """Whether there are interactions of two features."""
        return any(len(term) == 2 for term in self.rows.dec.terms)

    @property
    def findings(self) -> Findings:
        """What was checked about the output."""
        return self._findings(self.state.output)

    @property
    def case(self) -> Case:
        """The row, taken apart."""
        return self._case(self.state.row, self.state.output, tuple(self.state.edits.items()))

    def of(self, tab: str) -> Figures:
        """Draw the pictures of "overview", "term", "row" or "trust", by their names."""
        drawers = {"overview": self.overview, "term": self.term, "row": self.row, "trust": self.trust}
        return drawers[tab]()

    def overview(self) -> Figures:
        """Draw who moves the answers."""
        return self._output("overview", self.state.output)

    def term(self) -> Figures:
        """Draw the term: a main effect, or a pair with its slices and the main effects of its features."""
        term, output = self.state.term, self.state.output
        if len(term) == 1:
            return {"effect": self._seen_main(term[0], output)}
        own = (index for index in term if (index,) in self.rows.dec.expansion.position)
        mains = {f"main {number}": self._seen_main(index, output) for number, index in enumerate(own, 1)}
        if len(term) > 2:
            return mains
        surface, slices = self._pair(term, output)
        seen = marked(surface, self.rows, term, self.state.values)
        return {"surface": seen, "slices": self._follow(slices, surface), **mains}

    def row(self) -> Figures:
        """Draw how the answer of the row comes about."""
        return self._row(self.case)

    def trust(self) -> Figures:
        """Draw how closely the explanation follows the answers, and how separate its parts are."""
        output = self.state.output
        if self.rows.answers is None:
            return self._output("trust", output)
        return {"scatter": self._seen_scatter(), **self._output("trust", output)}

    def groups(self) -> Groups | None:
        """Put the points of the scatter into groups by the feature that colours them."""
        scatter = self.trust().get("scatter")
        if self.state.colour_by is None or scatter is None or not isinstance(scatter.data, Scatter):
            return None
        return grouped(self.rows, self.state.colour_by, scatter.data.rows)

    def _seen_main(self, index: int, output: int) -> Figure:
        with_others = self._others(index, output, self.state.overlays)
        return marked(with_others, self.rows, (index,), self.state.values)

    def _seen_scatter(self) -> Figure:
        row, output, scale = self.state.row, self.state.output, self.state.scale
        found = self._case(row, output, ()).found  # where the row itself lies, whatever is made of it
        spot = [found.explained, float(self.rows.answers_to(output)[row])]
        if self._as_probabilities(scale):
            spot = list(map(probability, spot))
        return marked_row(self._scatter(output, scale), row, *spot)

    def _follow(self, slices: Figure, surface: Figure) -> Figure:
        term, pointer = self.state.term, self.state.pointer
        own = self.state.values[list(term)]
        at, whose = ((own[0], own[1]), "this row") if pointer is None else (pointer, "pointer")
        if not can_be_traced(at):
            return slices
        return traced(slices, self.rows, term, self.state.output, surface, at, whose)

    def _draw_main(self, index: int, output: int) -> Figure:
        return main_effect(self.rows, (index,), output, key=f"main-{index}")

    def _draw_others(self, index: int, output: int, overlays: tuple[Laid, ...]) -> Figure:
        return overlaid(self._main(index, output), self.rows, index, overlays, output)

    def _draw_pair(self, term: Term, output: int) -> tuple[Figure, Figure]:
        surface = pair_surface(self.rows, term, output, key="surface")
        return surface, pair_slices(self.rows, term, output, key="slices")

    def _draw_output(self, tab: str, output: int) -> Figures:
        dec, made = self.rows.dec, {}
        if tab == "overview":
            made["shares"] = shares_figure(dec, output, key="shares")
            if self.has_pairs:
                made["network"] = network_figure(dec, output, key="network")
            return made
        if self.rows.answers is not None:
            made["regions"] = regions_figure(self.rows, output, key="regions")
        if self.has_pairs:
            made["matrix"] = matrix_figure(dec, output, key="matrix")
        return made

    def _draw_scatter(self, output: int, scale: str) -> Figure:
        return scatter_figure(
            self._probabilities if self._as_probabilities(scale) else self.rows, output, key="scatter"
        )

    def _as_probabilities(self, scale: str) -> bool:
        return scale == PROBABILITY != self.rows.dec.scale

    @cached_property
    def _probabilities(self) -> ProbabilityRows:
        return ProbabilityRows.from_logits(self.rows)

    def _make_case(self, row: int, output: int, edits: tuple[tuple[str, Value], ...]) -> Case:
        known = self.rows.answers is not None and not edits
        reply = None if known or self.model is None else self._ask(row, dict(edits), output)
        return make_case(self.rows, row, output, self.state.values if edits else None, reply)

    def _ask(self, row: int, edits: dict[str, Value], output: int) -> Reply:
        return asked(self.model, self.rows, self.state.table, row, edits, output)

    def _check(self, output: int) -> Findings:
        return findings(self.rows.dec, self.state.table, output)


def term_words(state: State) -> tuple[str, ...]:
    """Say how much the term moves the answers."""
    share, dec = state.share, state.rows.dec
    known = share.total_interval
    interval = "" if known is None else f" (95% interval {percent(known.low)} to {percent(known.high)})"
    carried = (
        f"{share.label} carries {percent(share.total)}{interval} of the variance: {percent(share.structural)} by its "
        f"own movement, {percent(share.correlative)} because other terms move with it."
    )
    if len(share.term) == 1:
        return (carried,)
    if len(share.term) == 2:
        return carried, pair_words(dec, share, state.output)
    return carried, f"A term of {len(share.term)} features has no picture; these are the main effects of its features."


def row_words(views: Views) -> tuple[str, ...]:
    """Say how the answer of the row comes about, what was edited and what the model itself says."""
    state, case = views.state, views.case
    said = [case_words(case.found), *_edited(state, case), *_model(views)]
    if state.scale == PROBABILITY != state.rows.dec.scale:
        said += [probability_words(case.found), PROBABILITY_NOTE]
    return tuple(said)


def trust_words(views: Views) -> tuple[str, ...]:
    """Say which rows are drawn, and what cannot be."""
    said = []
    if views.rows.answers is None:
        said.append("Without answers the explanation cannot be compared with them row by row. Pass answers= to see it.")
    elif len(views.rows) > SCATTER_ROWS:
        said.append(
            f"Points are a sample of {SCATTER_ROWS:,} of {len(views.rows):,} rows; the chosen row is always drawn."
        )
    if views.state.scale == PROBABILITY != views.rows.dec.scale:
        said.append(PROBABILITY_NOTE)
    if not views.has_pairs:
        said.append("There are no interactions, so there is nothing that would have to be orthogonal.")
    return tuple(said)


def rows_looked_at(n_rows: int) -> str:
    """Say among how many rows the named ones are found."""
    return "all rows" if n_rows <= MOST_ROWS else f"{MOST_ROWS:,} of {n_rows:,} rows"


def _edited(state: State, case: Case) -> list[str]:
    if not case.is_edited:
        return []
    edited = tuple(map(state.rows.feature, state.edits))
    before, after = (row_values(rows, state.row, edited) for rows in (state.rows, case.rows))
    changes = (f"{name} = {new} instead of {old}" for (name, new), (_, old) in zip(after, before, strict=True))
    return [f"What if {', '.join(changes)}?"]


def _model(views: Views) -> list[str]:
    case = views.case
    if case.reply is None:
        return ["What the model itself would answer is not known: pass model= to ask it."] if case.is_edited else []
    if case.reply.answer is None:
        return [f"The model itself gave no answer. {case.reply.trouble}"]
    answer = case.reply.answer
    gap = signed(answer - case.found.explained)
    return [f"Asked about these very values, the model itself answers {number(answer)}: {gap} from the explanation."]
