"""How protected columns go with predictions, on a page: means by group, and what associations add up from."""

from collections.abc import Callable

from anova_report.core.result.decomposition import Decomposition
from anova_report.figures.figure import Figure, Table
from anova_report.figures.ledgers import ledger_figure
from anova_report.figures.rows import Rows
from anova_report.measures.claims import Claims
from anova_report.measures.judged_claims import column_claim, group_claims, ledger_claims
from anova_report.measures.protected import Decomposed, Ledger, Protected, input_of, protected
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.protected import column_words, ledger_words
from anova_report.measures.wording import cosine, number, signed
from anova_report.report.audit.accuracy_facts import Judged
from anova_report.report.audit.judged import LedgerFacts, ProtectedFacts
from anova_report.report.audit.sentences import UNKNOWN


def protected_facts(
    rows: Rows, judged: Judged, output: int, keep: Callable[[Figure], str]
) -> tuple[ProtectedFacts, ...]:
    """Say how each protected column goes with the predictions of one output."""
    if not judged.aside.protected:
        return ()
    components = rows.dec.expansion.evaluate(rows.values)[:, :, output]
    truth = judged.truth(output)
    known = Decomposed(
        rows.dec, rows.values, components, rows.predictions_of(output), judged.aside, output, truth, rows.seed
    )
    return tuple(
        _facts(known, protected(known, held), held[0].title, at, keep) for at, held in enumerate(judged.aside.protected)
    )


def _facts(rows: Decomposed, found: Protected, title: str, at: int, keep: Callable[[Figure], str]) -> ProtectedFacts:
    column = column_claim(found, len(rows.values))
    means = tuple(claim for group in found.groups for claim in group_claims(found, group))
    ranked = sorted(found.ledgers, key=lambda ledger: -abs(ledger.whole.value))
    ledgers = tuple(
        _ledger(rows.dec, ledger, title, f"o{found.output}-protected-{at}-{place}", keep)
        for place, ledger in enumerate(ranked)
    )
    is_share = rows.dec.scale in ("logit", "probability")
    table = _means(means, cosine if is_share else number) if found.groups else None
    held_out = bool(means) and rows.truth is not None and rows.aside.held_out is not None
    words = column_words(column, title, held_out=held_out)
    return ProtectedFacts(title, words, table, ledgers, (column, *means))


def _ledger(dec: Decomposition, ledger: Ledger, title: str, key: str, keep: Callable[[Figure], str]) -> LedgerFacts:
    claims = ledger_claims(ledger, input_of(dec, ledger.column))
    words = ledger_words(claims, title, Names.of(dec, ledger.output))
    return LedgerFacts(ledger.level, words, keep(ledger_figure(dec, ledger, title, claims, words, key)), claims)


def _means(claims: Claims, write: Callable[[float], str]) -> Table:
    """List groups with mean predictions and, where they are known, mean truths."""
    lines: dict[str, tuple[str, ...]] = {}
    for claim in claims:
        known = {name: write(value) for name, value in claim.numbers.items()}
        between = f"{known['low']} to {known['high']}"
        if claim.kind == "mean of a group":
            level = claim.places[1]
            lines[level] = (level, f"{claim['n_rows']:,.0f}", known["predicted"], between)
        else:
            apart = f"{signed(claim['low'])} to {signed(claim['high'])}"
            lines[claim.places[1]] += (known["observed"], signed(claim["difference"]), apart)
    head = (
        "Group",
        "Rows",
        "Predicted mean",
        "95% interval",
        "Observed mean",
        "Observed minus predicted",
        "95% interval",
    )
    widest = max(map(len, lines.values()))
    table = tuple(line + (UNKNOWN,) * (widest - len(line)) for line in lines.values())
    return Table(head[:widest], table)
