"""From a decomposition and its rows to an audit, output by output; the model is not asked."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from anova_report.compare.methods.attribution import Attribution
from anova_report.core.input.scales import scale_of
from anova_report.core.progress import bar
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.explanation import Explanation, rows_and_predictions
from anova_report.core.result.terms import CARRIES
from anova_report.figures.effects import main_effect
from anova_report.figures.figure import Figure, Table
from anova_report.figures.networks import network_figure
from anova_report.figures.pairs import pair_surface
from anova_report.figures.row_effects import row_effects
from anova_report.figures.rows import Rows
from anova_report.figures.shares import shares_figure, totals_figure
from anova_report.figures.slices import pair_slices
from anova_report.figures.spread import histogram_figure, predictions_histogram, scatter_figure
from anova_report.figures.swarms import feature_swarm, term_swarm
from anova_report.figures.trust import matrix_figure, regions_figure
from anova_report.measures.claims import Claim
from anova_report.measures.column_roles import Unread
from anova_report.measures.findings import findings, weights_claims
from anova_report.measures.kept_aside import KeptAside
from anova_report.measures.notes import note_claims
from anova_report.measures.policy import Policy, Tier
from anova_report.measures.sentences.effects import interaction_words, reach_words
from anova_report.measures.sentences.held_out_rows import weights_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.rows import base_rate_words, feature_words, predictions_words
from anova_report.measures.sentences.sections import sum_words
from anova_report.measures.sentences.waivers import policy_words
from anova_report.measures.status import Findings, limits_set
from anova_report.measures.variance import TermShare, prediction_variance, variance_shares
from anova_report.measures.wording import percent
from anova_report.report.audit import verdict
from anova_report.report.audit.about import read_about
from anova_report.report.audit.accuracy_facts import Judged, accuracy_facts
from anova_report.report.audit.audit import (
    Audit,
    FeatureFacts,
    MainFacts,
    OutputAudit,
    PairFacts,
    Pairs,
    RunFacts,
    Subject,
)
from anova_report.report.audit.failures import failure_facts
from anova_report.report.audit.group_facts import cohort_facts, group_facts
from anova_report.report.audit.groups import GlanceFacts
from anova_report.report.audit.joint_facts import ReadTogether, alone_note, joint_facts, read_together
from anova_report.report.audit.other_methods import OtherExplanations
from anova_report.report.audit.protected_facts import protected_facts
from anova_report.report.audit.provenance import library_versions, provenance
from anova_report.report.audit.row_facts import (
    ChosenRow,
    base_claims,
    case,
    chosen_rows,
    feature_claim,
    predictions_claim,
)
from anova_report.report.audit.start_rows import shown_spans, start_rows
from anova_report.report.audit.what_if import WhatIf
from anova_report.report.audit.what_if_numbers import evaluated

Keep: TypeAlias = Callable[[Figure], str]

MOST_ROW_EFFECTS, MANY_FEATURES = 3, 8  # drawn row by row; of more features one, since pages stay small
LEAST_PAIRS = 3  # are drawn whatever their shares


def ranked(shares: Sequence[TermShare], order: int, most: int) -> tuple[list[TermShare], list[TermShare]]:
    """Split the terms of an order, the largest structural share first, into those that are drawn and the rest."""
    own = sorted((share for share in shares if len(share.term) == order), key=lambda share: -share.structural)
    return own[:most], own[most:]


def output_audit(
    rows: Rows,
    output: int,
    found: Findings,
    chosen: Sequence[ChosenRow],
    keep: Keep,
    top: tuple[int, int],
    others: OtherExplanations | None = None,
    whole: Decomposition | None = None,
) -> OutputAudit:
    """Audit one output.

    The chosen rows are explained, `keep` takes a figure and returns its key, `top` says how many main effects and how
    many pairs are drawn at most, and `whole` is the decomposition of all rows where these are a cohort.
    """
    dec, shares = rows.dec, variance_shares(rows.dec, output).terms
    large = [len(share.term) for share in shares if share.structural >= CARRIES]
    n_pairs = min(top[1], max(LEAST_PAIRS, large.count(2)))
    (mains, more_mains), (pairs, more_pairs) = ranked(shares, 1, top[0]), ranked(shares, 2, n_pairs)
    spread = predictions_claim(dec, rows.predictions, output)
    higher, base = ranked(shares, 3, 0)[1], base_claims(dec, output)
    others_left = {"mains": more_mains, "pairs": more_pairs, "higher": higher}
    left_out = {kind: sum_claim(terms, output) for kind, terms in others_left.items()}
    predicted, paired, together = rows.predictions is not None, bool(pairs), read_together(dec, output)
    return OutputAudit(
        name=dec.output_names[output],
        anchor=f"output-{output}",
        summary=predictions_words(spread, Names.of(dec, output)),
        predictions=keep(predictions_histogram(rows, output)) if predicted else None,
        verdict=found.verdict,
        verdict_words=verdict.verdict_words(dec, found, output),
        headlines=verdict.headlines(dec, found, output),
        findings=found.items,
        totals=keep(totals_figure(dec, output)),
        shares=keep(shares_figure(dec, output)),
        network=keep(network_figure(dec, output)) if paired else None,
        mains=tuple(_main(rows, share, output, keep, others, together) for share in mains),
        pairs=tuple(_pair(rows, share, output, keep, together) for share in pairs),
        cases=tuple(case(rows, row, output, keep) for row in chosen),
        scatter=keep(scatter_figure(rows, output)) if predicted else None,
        regions=keep(regions_figure(rows, output)) if predicted else None,
        matrix=keep(matrix_figure(dec, output)) if paired else None,
        orthogonality=verdict.orthogonality_table(dec, output),
        stability=verdict.stability_table(dec, output),
        more_mains=shares_table(more_mains),
        more_pairs=shares_table(more_pairs),
        higher=shares_table(higher),
        others=None if others is None else others.facts(dec, output),
        joints=joint_facts(rows, together, keep),
        carrying=(large.count(1), large.count(2)),
        claims=(spread, *base, *verdict.verdict_claims(dec, found, output), *left_out.values()),
        influential=verdict.influential_table(dec, output, rows.names),
        left_out={kind: sum_words(claim) if claim.terms else "" for kind, claim in left_out.items()},
        groups=group_facts(rows, output, keep),
        cohort=cohort_facts(dec, whole, output),
        base=" ".join(base_rate_words(claim, Names.of(dec, output)) for claim in base),
        failures=failure_facts(rows, output),
        glance=_glance(rows, output, shares, keep),
    )


def with_judged(audited: OutputAudit, rows: Rows, judged: Judged | None, output: int, keep: Keep) -> OutputAudit:
    """Add how accurate the model is, and how protected columns go with its predictions, where that can be said."""
    if judged is None:
        return audited
    accuracy = accuracy_facts(rows, judged, output, keep)
    return replace(audited, accuracy=accuracy, protected=protected_facts(rows, judged, output, keep))


def count_figures(dec: Decomposition, top: tuple[int, int], n_cases: int) -> int:
    """Count the figures of all outputs, about: for a progress bar."""
    mains, pairs = (min(most, sum(len(term) == order for term in dec.terms)) for order, most in enumerate(top, 1))
    return len(dec.output_names) * (9 + mains + 2 * pairs) + 3 * n_cases


def shares_table(shares: Sequence[TermShare]) -> Table | None:
    """List terms that are not drawn; None where there are none."""
    head, rows = ("Term", "Structural", "Correlative", "Total", "95% interval"), []
    for share in shares:
        parts = map(percent, (share.structural, share.correlative, share.total))
        rows.append((share.label, *parts, verdict.interval_words(share)))
    return Table(head, tuple(rows)) if shares else None


def sum_claim(shares: Sequence[TermShare], output: int) -> Claim:
    """State what the shares of some terms add up to."""
    numbers = {name: float(sum(getattr(share, name) for share in shares)) for name in ("structural", "total")}
    terms = tuple(share.term for share in shares)
    return Claim("sum of shares", numbers | {"n_terms": float(len(terms))}, terms, output=output)


def carried_claim(share: TermShare, output: int) -> Claim:
    """State how much of the variance a term carries."""
    return Claim("carried shares", {"structural": share.structural, "total": share.total}, (share.term,), output=output)


def _main(
    rows: Rows,
    share: TermShare,
    output: int,
    keep: Keep,
    others: OtherExplanations | None,
    together: tuple[ReadTogether, ...],
) -> MainFacts:
    figure = main_effect(rows, share.term, output)
    if others is not None:
        figure = others.overlay(figure, rows.dec, share.term[0], output)
    note, claims = alone_note(together, share.term), (carried_claim(share, output),)
    return MainFacts(share.label, share.total, keep(figure), note, share.structural, claims)


def _pair(rows: Rows, share: TermShare, output: int, keep: Keep, together: tuple[ReadTogether, ...]) -> PairFacts:
    surface, slices = pair_surface(rows, share.term, output), pair_slices(rows, share.term, output)
    claim = interaction_claim(rows.dec, share, output)
    said = (interaction_words(claim, Names.of(rows.dec, output)), alone_note(together, share.term))
    words = " ".join(filter(None, said))
    claims = (claim, carried_claim(share, output))
    return PairFacts(share.label, share.total, words, keep(surface), keep(slices), share.structural, claims)


def _glance(rows: Rows, output: int, shares: Sequence[TermShare], keep: Keep) -> GlanceFacts | None:
    """Draw contributions of all features and terms, and one by one of features that interactions move most."""
    if not rows.dec.terms:
        return None
    pairs = [share for share in shares if len(share.term) > 1]
    moved = [
        (sum(share.structural / len(share.term) for share in pairs if index in share.term), -index)
        for index in range(len(rows.dec.features))
    ]
    largest = sorted((item for item in moved if item[0] >= CARRIES / 2), reverse=True)
    most = MOST_ROW_EFFECTS if len(moved) <= MANY_FEATURES else 1
    return GlanceFacts(
        features=keep(feature_swarm(rows, output)),
        terms=keep(term_swarm(rows, output)) if pairs else None,
        effects=tuple(keep(row_effects(rows, -index, output)) for _, index in largest[:most]),
    )


def interaction_claim(dec: Decomposition, share: TermShare, output: int) -> Claim:
    """State how much a pair moves the predictions beyond its main effects."""
    size = (share.structural * prediction_variance(dec, dec.in_sample, output)) ** 0.5
    return Claim("size of an interaction", {"deviation": size}, (share.term,), output=output)


MODEL = "A black box of which only the predictions are known"


def build_audit(  # noqa: PLR0913 every option of the command line has a word of its own
    dec: Decomposition,
    X: Any = None,
    predictions: Any = None,
    *,
    others: Sequence[Attribution] = (),
    whole: Decomposition | None = None,
    title: str | None = None,
    model: str | None = None,
    rows: Sequence[int] | None = None,
    row_names: Sequence[object] | None = None,
    notes: Sequence[str] = (),
    unread: Sequence[Unread] = (),
    command: str = "",
    created: str | None = None,
    seconds: Sequence[tuple[str, float]] = (),
    random_state: int = 0,
    top_mains: int = 12,
    top_pairs: int = 12,
    progress: bool = True,
    expectations: Sequence[str] = (),
    tier: Tier | None = None,
    limits: Mapping[str, Any] | None = None,
    waivers: Sequence[Mapping[str, Any]] | None = None,
    as_of: str | date | None = None,
    about: Mapping[str, Any] | None = None,
    model_file: str | os.PathLike[str] | None = None,
    model_versions: Pairs | None = None,
    aside: KeptAside | None = None,
    what_if: bool = True,
) -> Audit:
    """Collect facts, findings and figures about a decomposition; without predictions, what needs them is left out.

    Parameters
    ----------
    dec : Decomposition
        An `Explanation`, which `explain` returns, needs nothing else.
    X : table of shape (n_rows, n_features), optional
        Rows to show and to explain; by default those of the explanation.
    predictions : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        What the black box said, on the scale that was decomposed; by default an explanation asks its model.
    others : sequence of Attribution
        Other explanations of rows of X, from `compare.attribute`, to be laid over main effects.
    whole : Decomposition, optional
        Of all rows, where `dec` is that of a cohort; an explanation holds it.
    title : str, optional
    model : str, optional
        What made the predictions, in words; by default the model that was asked.
    rows : sequence of int, optional
        Positions of rows to explain one by one; by default the typical, the extreme and that with the largest residual.
    row_names : sequence, optional
        What each row is called.
    notes : sequence of str
        Sentences on what was left out or sampled.
    unread : sequence of Unread
        Cells that did not reach the fit, for the findings.
    command : str
        What makes this audit again.
    created : str, optional
        When it was made; by default now.
    seconds : sequence of (str, float)
        How long stages before this one took.
    random_state : int
        Decides which rows are drawn where not all can be.
    top_mains, top_pairs : int
        How many main effects and pairs are drawn at most; the rest is listed. Of pairs, only those that carry 1% of
        the variance are drawn, or the three largest.
    progress : bool
        Show a bar once drawing has taken two seconds.
    expectations, tier, limits, waivers, as_of
        What the audit is judged by, as `measures.Policy.read` takes it.
    about : mapping, optional
        Who answers for the model, and what it is for: the fields of `About`.
    model_file : path, optional
        The file of the model, which is digested.
    model_versions : pairs of str, optional
        Libraries that the model is made of, with their versions; by default those of the model of an explanation.
    aside : KeptAside, optional
        The observed target of these rows, on which of them the model was trained, and protected columns.
    what_if : bool
        Whether the page answers what the explanation says of rows that a reader types.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> predictions = X[:, 0] + X[:, 0] * X[:, 1]
    >>> dec = FunctionalANOVA(random_state=0).fit(X, predictions).decomposition_
    >>> audit = build_audit(dec, X, predictions, title="A product", rows=[0])
    >>> audit.verdict, audit.outputs[0].pairs[0].label
    ('pass', 'x0 × x1')
    """
    started, answered = time.perf_counter(), read_about(about)
    policy = Policy.read(expectations=expectations, tier=tier, limits=limits, waivers=waivers, as_of=as_of)
    if model_versions is None:
        model_versions = library_versions(dec.model) if isinstance(dec, Explanation) else ()
    X, predictions = rows_and_predictions(dec, X, predictions)
    whole = dec.whole if whole is None and isinstance(dec, Explanation) else whole
    model = model or dec.settings.get("model", MODEL)
    shown = Rows.of(dec, X, predictions, seed=random_state, names=row_names)
    judged = None if aside is None else Judged.of(shown, aside, random_state)
    outputs = range(len(dec.output_names))
    chosen = [chosen_rows(shown, X, output, rows) for output in outputs]
    total = len(dec.features) + count_figures(dec, (top_mains, top_pairs), sum(map(len, chosen)))
    given = OtherExplanations(X, tuple(others)) if others else None
    figures: dict[str, Figure] = {}
    with limits_set(policy.limits), bar(progress, total=total, desc="drawing", unit="figure") as shown_bar:

        def keep(figure: Figure) -> str:
            figures[figure.key] = figure
            shown_bar.update()
            return figure.key

        features = tuple(_feature(shown, index, keep) for index in range(len(dec.features)))
        audited = tuple(
            with_judged(
                output_audit(
                    shown,
                    output,
                    findings(
                        dec, X, output, predictions=shown.predictions, row_names=row_names, unread=unread, policy=policy
                    ),
                    chosen[output],
                    keep,
                    (top_mains, top_pairs),
                    given,
                    whole,
                ),
                shown,
                judged,
                output,
                keep,
            )
            for output in outputs
        )
        limits_set_here = verdict.limits_table()
    weights, stated = weights_claims(dec), note_claims(dec)
    remarks = (
        *notes,
        *dec.notes,
        *policy_words(policy.tier, tuple(policy.limits)),
        *map(weights_words, weights),
        shown.note,
    )
    return Audit(
        title=f"Audit: {model}" if title is None else title,
        subject=Subject(
            model,
            scale_of(dec.scale).words,
            len(shown),
            tuple(filter(None, remarks)),
            (*weights, *stated),
            scale_of(dec.scale).factors,
        ),
        features=features,
        outputs=audited,
        provenance=provenance(
            dec,
            shown.values,
            shown.predictions,
            command=command,
            random_state=random_state,
            model_file=model_file,
            model_versions=model_versions,
        ),
        run=RunFacts(
            created or f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            (*seconds, ("Audit and figures", time.perf_counter() - started)),
        ),
        figures=figures,
        limits=limits_set_here,
        support=reach_words(shown.reach.claim),
        claims=(shown.reach.claim,),
        about=answered,
        what_if=_evaluated(shown, chosen) if what_if else None,
    )


def _evaluated(rows: Rows, chosen: Sequence[Sequence[ChosenRow]]) -> WhatIf:
    return evaluated(rows.dec, start_rows(rows, chain.from_iterable(chosen)), shown_spans(rows))


def _feature(rows: Rows, index: int, keep: Keep) -> FeatureFacts:
    feature, column = rows.dec.features[index], rows.values[:, index]
    claim, missing = feature_claim(feature, index, column), float(np.isnan(column).mean())
    claims = (claim, Claim("missing values", {"share": missing}, features=(index,)))
    figure = keep(histogram_figure(rows, index))
    return FeatureFacts(
        feature.name,
        feature.kind,
        feature_words(claim, Names.of(rows.dec)),
        missing,
        figure,
        claims,
        feature.label,
        feature.unit,
    )
