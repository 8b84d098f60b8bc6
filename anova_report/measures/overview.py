"""What a decomposition says of itself in a few lines: what was explained, how well, and which terms are the largest."""

from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.display import MOST_ROWS, Overview
from anova_report.measures.fidelity import fidelity
from anova_report.measures.findings import findings
from anova_report.measures.status import VERDICTS
from anova_report.measures.variance import TermShare, VarianceShares, variance_shares
from anova_report.measures.wording import counted, percent, score

MOST_OUTPUTS = 3  # whose shares are listed side by side


def overview(dec: Decomposition) -> Overview:
    """Choose what is shown of a decomposition."""
    sizes = (
        counted(dec.in_sample.n_rows, "row", "rows"),
        counted(len(dec.features), "feature", "features"),
        counted(len(dec.terms), "term", "terms"),
    )
    title = f"{type(dec).__name__} of {dec.settings.get('model', 'predictions')}: {', '.join(sizes)}"
    outputs = range(min(len(dec.output_names), MOST_OUTPUTS))
    more = len(dec.output_names) - len(outputs)
    lines = [_fidelity_words(dec, output) for output in outputs]
    lines += [f"… and {counted(more, 'further output', 'further outputs')}"] if more else []
    shares = [variance_shares(dec, output) for output in outputs]
    several = len(dec.output_names) > 1
    names = [f"{dec.output_names[output]}: " if several else "" for output in outputs]
    head = (f"{name}{kind} share" for name in names for kind in ("structural", "total"))
    return Overview(title, (*lines, *dec.notes), ("term", *head), _rows(shares))


def _fidelity_words(dec: Decomposition, output: int) -> str:
    found, verdict = fidelity(dec, output), findings(dec, output=output).verdict
    where = "R²" if found.held_out is None else "held-out R²"
    named = f"{dec.output_names[output]}: " if len(dec.output_names) > 1 else ""
    rests = f" (rests on {found.rests_on})" if found.rests_on else ""
    return f"{named}{where} {score(found.best)}{rests}, verdict: {VERDICTS[verdict].lower()}"


def _rows(shares: list[VarianceShares]) -> tuple[tuple[str, ...], ...]:
    """List the terms with the largest structural share in any output, and what all others add up to."""
    together = list(zip(*(found.terms for found in shares), strict=True))
    together.sort(key=lambda own: -max(share.structural for share in own))
    rows = [(own[0].label, *_cells(own)) for own in together[:MOST_ROWS]]
    left = together[MOST_ROWS:]
    if left:
        sums = [
            (sum(part.structural for part in own), sum(part.total for part in own)) for own in zip(*left, strict=True)
        ]
        cells = (percent(value) for pair in sums for value in pair)
        rows.append((counted(len(left), "further term", "further terms"), *cells))
    return tuple(rows)


def _cells(own: tuple[TermShare, ...]) -> list[str]:
    return [percent(value) for share in own for value in (share.structural, share.total)]
