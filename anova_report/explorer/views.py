"""From the present choice to figures that show it, as plain data, and to sentences about them.

Figures that do not change are kept. Logits are shown as probabilities for whole predictions only, since effects do not
add up as probabilities.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from scipy.special import expit

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.explorer.pointing import coloured, marked, marked_row, overlaid, with_row, with_slice
from anova_report.explorer.state import PROBABILITY, State
from anova_report.explorer.user_input import OtherExplanation, Value
from anova_report.explorer.what_if import Case, asked, make_case
from anova_report.figures.cases import row_values
from anova_report.figures.effects import main_effect
from anova_report.figures.figure import Figure
from anova_report.figures.joint_effects import joint_pictures
from anova_report.figures.networks import network_figure
from anova_report.figures.pairs import pair_surface
from anova_report.figures.row_effects import row_effects
from anova_report.figures.rows import Rows
from anova_report.figures.shares import group_totals_figure, joint_shares, shares_figure
from anova_report.figures.slices import pair_slices
from anova_report.figures.spread import SCATTER_ROWS, scatter_figure
from anova_report.figures.swarms import feature_swarm
from anova_report.figures.trust import matrix_figure, regions_figure
from anova_report.measures.claims import Claim
from anova_report.measures.findings import findings
from anova_report.measures.groups import group_claim, group_shares
from anova_report.measures.joint import JointEffect, joint_effect
from anova_report.measures.local import MOST_ROWS, RowExplanation
from anova_report.measures.policy import Policy
from anova_report.measures.reasons import encoded_reasons, reason_claims
from anova_report.measures.sentences.effects import interaction_words, share_words
from anova_report.measures.sentences.groups import groups_words, reason_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.rows import as_probabilities, case_words, model_words, sample_words
from anova_report.measures.status import Findings
from anova_report.measures.variance import share_claim
from anova_report.report.audit.build_audit import interaction_claim
from anova_report.report.audit.group_facts import cohort_facts
from anova_report.report.audit.joint_facts import MOST_MEMBERS, alone_note, joint_words

Figures: TypeAlias = dict[str, Figure]

TABS = ("overview", "term", "row", "trust")
KEPT = 64  # figures of a kind that are kept: enough to go back and forth
PROBABILITY_NOTE = (
    "Whole predictions and explanations are shown as probabilities. Effects and contributions stay on the logit scale, "
    "where they add up: what +1 does to a probability depends on where it starts."
)


@dataclass(frozen=True, eq=False)
class ProbabilityRows(Rows):
    """Rows whose predictions and explanations were logits and are probabilities now."""

    @cached_property
    def explained(self) -> Floats:
        """Explanations of the rows of `sample` as probabilities, shape (n_sample, n_outputs)."""
        probabilities: Floats = expit(self.dec.expansion.predict(self.values[self.sample]))
        return probabilities


class Views:
    """Figures of the present choice.

    Every figure has a name that says where it stands; its content depends on the choice.
    """

    def __init__(
        self, state: State, model: Any = None, policy: Policy | None = None, whole: Decomposition | None = None
    ) -> None:
        self.state, self.rows, self.policy = state, state.rows, policy or Policy()
        self.whole = whole  # the decomposition of all rows, where these are a cohort
        self.model = model  # is asked about rows whose predictions are not known
        self._kept = lru_cache(KEPT)(lambda function, *arguments, **options: function(*arguments, **options))
        self._case = lru_cache(KEPT)(self._make_case)
        self._overlaid = lru_cache(KEPT)(self._draw_overlays)
        self._findings = lru_cache(KEPT)(
            lambda output: findings(
                self.rows.dec, self.state.table, output, predictions=self.rows.predictions, policy=self.policy
            )
        )

    @cached_property
    def has_pairs(self) -> bool:
        """Whether there are interactions of two features."""
        return any(len(term) == 2 for term in self.rows.dec.terms)

    @property
    def shows_probabilities(self) -> bool:
        """Whether logits are shown as probabilities."""
        return bool(self.state.scale == PROBABILITY != self.rows.dec.scale)

    @property
    def findings(self) -> Findings:
        """The findings about the output."""
        return self._findings(self.state.output)

    @property
    def cohort_words(self) -> str:
        """Say which rows these are, and what differs there; nothing where they are all rows."""
        facts = self._kept(cohort_facts, self.rows.dec, self.whole, self.state.output)
        return "" if facts is None else str(facts.words)

    @property
    def case(self) -> Case:
        """The row with its explanation."""
        return self._case(self.state.row, self.state.output, tuple(self.state.edits.items()))

    def of(self, tab: str) -> Figures:
        """Draw the figures of "overview", "term", "row" or "trust", by their names."""
        drawers = {"overview": self.overview, "term": self.term, "row": self.row, "trust": self.trust}
        return drawers[tab]()

    def overview(self) -> Figures:
        """Draw the shares of all terms, their network, and contributions to many rows at a glance."""
        dec, output = self.rows.dec, self.state.output
        found = {"shares": self._kept(shares_figure, dec, output, key="shares")}
        if dec.feature_groups:
            found["groups"] = self._kept(group_totals_figure, dec, output, key="groups")
        if self.has_pairs:
            found["network"] = self._kept(network_figure, dec, output, key="network")
        if dec.terms:
            swarm = self._kept(feature_swarm, self.rows, output, by=self.state.colour_by, key="swarm")
            found["swarm"] = with_row(swarm, self.state.row)
        return found

    def term(self) -> Figures:
        """Draw the term: a main effect, or a pair with its slices and the main effects of its features; or a group.

        A joint effect of three or more features comes first: along the direction in which they move together, and by
        each of the first of them.
        """
        if self.state.group is not None:
            drawn: Figures = self._kept(group_pictures, self.rows, self.state.group, self.state.output)
            return drawn
        rows, term, output, values = self.rows, self.state.term, self.state.output, self.state.values
        own = [index for index in term if (index,) in rows.dec.expansion.position]
        mains = {
            f"main {count}": marked(self._overlaid(index, output, self.state.overlays), rows, (index,), values)
            for count, index in enumerate(own, 1)
        }
        joint, many = self.state.joint, self.state.joint_of_many
        own_effect = {"effect": mains["main 1"]} if len(term) == 1 else mains
        if joint and many is not None:
            together: Figures = self._kept(pictures_of_many, rows, many)
            return together | own_effect
        if len(term) != 2:
            return own_effect | ({"rows": self._row_effects(term[0])} if len(term) == 1 else {})
        surface = self._kept(pair_surface, rows, term, output, key="surface", joint=joint)
        slices = self._kept(pair_slices, rows, term, output, key="slices", joint=joint)
        at, whose = self.state.pointer, "pointer"
        if at is None:
            at, whose = values[list(term)].tolist(), "this row"
        followed = with_slice(slices, rows, term, output, surface, at, whose, joint=joint)
        return {"surface": marked(surface, rows, term, values), "slices": followed, **mains}

    def _row_effects(self, index: int) -> Figure:
        by = self.state.colour_by
        return with_row(self._kept(row_effects, self.rows, index, self.state.output, by=by, key="rows"), self.state.row)

    def row(self) -> Figures:
        """Draw how the prediction of the row comes about."""
        found: Figures = self._kept(Case.figures, self.case)
        return found

    def trust(self) -> Figures:
        """Draw how closely the explanation follows the predictions, and how separate its components are."""
        rows, output, found = self.rows, self.state.output, {}
        if rows.predictions is not None:
            found["scatter"] = self._scatter()
            found["regions"] = self._kept(regions_figure, rows, output, key="regions")
        if self.has_pairs:
            found["matrix"] = self._kept(matrix_figure, rows.dec, output, key="matrix")
        return found

    def _draw_overlays(self, index: int, output: int, overlays: tuple[OtherExplanation, ...]) -> Figure:
        figure = main_effect(self.rows, (index,), output, key=f"main-{index}")
        return overlaid(figure, self.rows, index, overlays, output)

    def _scatter(self) -> Figure:
        rows, row, output = self.rows, self.state.row, self.state.output
        found = self._case(row, output, ()).found  # of the row itself, whatever its edits are
        spot = found.explained, float(rows.predictions_of(output)[row])
        if self.shows_probabilities:
            rows, spot = self._probabilities, (float(expit(spot[0])), float(expit(spot[1])))
        figure = marked_row(self._kept(scatter_figure, rows, output, key="scatter"), row, *spot)
        return figure if self.state.colour_by is None else coloured(figure, self.rows, self.state.colour_by)

    @cached_property
    def _probabilities(self) -> Rows:
        rows = self.rows
        return ProbabilityRows(replace(rows.dec, scale="probability"), rows.values, expit(rows.predictions), rows.seed)

    def _make_case(self, row: int, output: int, edits: tuple[tuple[str, Value], ...]) -> Case:
        is_known = self.rows.predictions is not None and not edits
        reply = None
        if self.model is not None and not is_known:
            reply = asked(self.model, self.rows, self.state.table, row, dict(edits), output)
        return make_case(self.rows, row, output, self.state.values if edits else None, reply)


def pictures_of_many(rows: Rows, joint: JointEffect) -> Figures:
    """Draw a joint effect of three or more features along their common direction, and by each of the first."""
    along, members = joint_pictures(rows, joint, key="joint", most=MOST_MEMBERS)
    found = {} if along is None else {"along": along}
    return found | {f"by {count}": figure for count, figure in enumerate(members, 1)}


def group_pictures(rows: Rows, name: str, output: int) -> Figures:
    """Draw the joint effect of a group of features, and the shares within."""
    joint = joint_effect(rows.dec, name, output)
    if len(joint.features) == 2:
        found = {"surface": pair_surface(rows, joint.features, output, key="surface", joint=True)}
    else:
        found = pictures_of_many(rows, joint)
    return found | {"within": joint_shares(rows.dec, joint, key="within")}


def group_words(state: State) -> str:
    """Say how much the group moves the predictions."""
    shares = group_shares(state.rows.dec, state.output).groups
    return groups_words([group_claim(own, state.output) for own in shares if own.member.name == state.group])


def term_words(state: State) -> tuple[str, ...]:
    """Say how much the term, or the group, moves the predictions."""
    if state.group is not None:
        return (group_words(state),)
    share, dec = state.share, state.rows.dec
    carried = share_words(share_claim(share, state.output), Names.of(dec, state.output))
    note = alone_note(state.together, share.term)
    notes = (note,) if note else ()
    many = state.joint_of_many
    if state.joint:
        group = [item.why for item in state.together if item.joint == many]
        return joint_words(dec, share.term if many is None else many.features, state.output), *group
    if len(share.term) == 1:
        return carried, *notes
    if len(share.term) == 2:
        size = interaction_claim(dec, share, state.output)
        return carried, interaction_words(size, Names.of(dec, state.output)), *notes
    alone = "A term of more than two features has no picture of its own; its joint effect has. These are main effects."
    return carried, alone, *notes


def row_words(views: Views) -> tuple[str, ...]:
    """Say how the prediction of the row comes about, what was edited, and the model's own prediction."""
    state, case = views.state, views.case
    names = Names.of(state.rows.dec, state.output)
    said = [case_words(case.found.claims((), state.output), names)]
    values = state.values[None]
    own = encoded_reasons(state.rows.dec, values, output=state.output).rows[0]
    claims = reason_claims(own, state.row, state.output)
    said += [f"{claim.places[0]} {reason_words(claim, names)}" for claim in claims]
    if case.is_edited:
        edited = tuple(map(state.rows.feature, state.edits))
        before, after = (row_values(rows, state.row, edited) for rows in (state.rows, case.rows))
        changes = (f"{name} = {new} instead of {old}" for (name, new), (_, old) in zip(after, before, strict=True))
        said.append(f"What if {', '.join(changes)}?")
    if case.reply is not None or case.is_edited:
        said.append(asked_words(views))
    if views.shows_probabilities:
        said += [probability_words(case.found), PROBABILITY_NOTE]
    return tuple(said)


def asked_words(views: Views) -> str:
    """Say what the model itself predicts for the row, edits included, or why that is not known."""
    case, output = views.case, views.state.output
    prediction = case.found.prediction if case.reply is None else case.reply.prediction
    if prediction is not None:
        answer = {"prediction": prediction, "residual": prediction - case.found.explained}
        claim = Claim("prediction of the model itself", answer, output=output)
        return model_words(claim, Names.of(views.rows.dec, output))
    if case.reply is not None:
        return f"The model itself gave no prediction. {case.reply.trouble}"
    return "What the model itself would predict is not known: pass model= to ask it."


def trust_words(views: Views) -> tuple[str, ...]:
    """Say which rows are drawn, and what cannot be drawn."""
    said = []
    if views.rows.predictions is None:
        said.append(
            "Without predictions the explanation cannot be compared with them row by row. Pass predictions= to see it."
        )
    elif len(views.rows) > SCATTER_ROWS:
        drawn = Claim("points of a sample", {"n_drawn": float(SCATTER_ROWS), "n_rows": float(len(views.rows))})
        said.append(sample_words(drawn))
    if views.shows_probabilities:
        said.append(PROBABILITY_NOTE)
    if not views.has_pairs:
        said.append("There are no interactions, so there is nothing to separate.")
    return tuple(said)


def searched_rows(n_rows: int) -> str:
    """Say among how many rows the named ones are found."""
    return "all rows" if n_rows <= MOST_ROWS else f"{MOST_ROWS:,} of {n_rows:,} rows"


def probability_words(found: RowExplanation) -> str:
    """Say the mean, the explanation and the prediction of a row as probabilities.

    Examples
    --------
    >>> probability_words(RowExplanation(0.0, (), 1.0986122886681098, None, None, ()))
    'As probabilities: from 50.0% at the mean to 75.0% explained.'
    """
    logits = {"mean": found.mean, "explained": found.explained}
    if found.prediction is not None:
        logits["prediction"] = found.prediction
    return as_probabilities(
        Claim("row as probabilities", {name: float(expit(logit)) for name, logit in logits.items()})
    )
