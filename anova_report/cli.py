"""The command line: parses, calls, prints."""

import argparse
import sys
from collections.abc import Sequence

from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor

from anova_report import Decomposition, __version__, explain, measures
from anova_report.errors import AnovaReportError
from anova_report.measures.wording import cosine, percent, score

INPUT_ERROR = 2
LINES_SHOWN = 12


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 when it worked and 2 when the input was at fault."""
    options = _parser().parse_args(arguments)
    try:
        options.run()
    except AnovaReportError as error:
        print(f"anova-report: {error}", file=sys.stderr)
        return INPUT_ERROR
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="anova-report", description="Explain and audit a black-box model by its functional ANOVA."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="train a small model on data at hand, decompose it, print the measures")
    demo.set_defaults(run=demonstrate)
    return parser


def demonstrate() -> None:
    """Train a small model on data that ships with scikit-learn, decompose it, and print the measures."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = GradientBoostingRegressor(random_state=0).fit(X, y)
    print(f"A gradient boosting model of disease progression: {len(X)} patients, {X.shape[1]} inputs.")
    dec = explain(model, X, random_state=0)
    for table in (fidelity_table(dec), shares_table(dec), orthogonality_table(dec), findings_list(dec, X)):
        print(f"\n{table}")


def fidelity_table(dec: Decomposition) -> str:
    """Write how closely the explanation follows the model."""
    found = measures.fidelity(dec)
    rows = [_fidelity_row("on the rows of the fit", found.n_rows, found.in_sample, found.in_sample_interval)]
    if found.held_out is not None:
        unseen = ("on rows no step has seen", found.n_held_out, found.held_out, found.held_out_interval)
        rows.insert(0, _fidelity_row(*unseen))
    return text_table(("Fidelity", "rows", "R²", "95% interval", "unexplained"), rows)


def _fidelity_row(where: str, n_rows: int, value: float, bounds: measures.Interval | None) -> tuple[str, ...]:
    known = "" if bounds is None else f"{score(bounds.low)} to {score(min(bounds.high, 1.0))}"
    return where, f"{n_rows:,}", score(value), known, percent(1 - value)


def shares_table(dec: Decomposition) -> str:
    """Write who moves the answers, the largest shares first."""
    found = measures.variance_shares(dec)
    ranked = found.ranked()
    rows = [_share_row(share) for share in ranked[:LINES_SHOWN]]
    rest = ranked[LINES_SHOWN:]
    if rest:
        rows.append((f"{len(rest)} more terms", "", "", percent(sum(share.total for share in rest)), ""))
    rows.append(("unexplained", "", "", percent(found.unexplained), ""))
    return text_table(("Share of the answers' variance", "structural", "correlative", "total", "95% interval"), rows)


def _share_row(share: measures.TermShare) -> tuple[str, ...]:
    bounds = share.total_interval
    known = "" if bounds is None else f"{percent(bounds.low)} to {percent(bounds.high)}"
    return share.label, percent(share.structural), percent(share.correlative), percent(share.total), known


def orthogonality_table(dec: Decomposition) -> str:
    """Write how orthogonal the components that matter are, the worst first."""
    found = measures.orthogonality(dec)
    counting = [pair for pair in found.ranked() if pair.counts and pair.part]
    rows = [
        (pair.label, cosine(pair.cosine), _known(pair.held_out), _known(pair.held_out_floor))
        for pair in counting[:LINES_SHOWN]
    ]
    if not rows:
        return "Orthogonality: no interaction carries 1% of the variance, so there is nothing to check."
    table = text_table(("Orthogonality of interactions of 1% or more", "cosine", "held out", "noise floor"), rows)
    return f"{table}\nMaxCorr {cosine(found.max_corr)} in sample, {_known(found.held_out_max_corr)} held out"


def findings_list(dec: Decomposition, X: object) -> str:
    """Write what was checked, and the verdict."""
    found = measures.findings(dec, X)
    lines = [f"{item.code}  {item.status:<14}  {item.sentence}" for item in found.items]
    return "\n".join([*lines, f"Verdict: {found.verdict}"])


def _known(value: float | None) -> str:
    return "–" if value is None else cosine(value)


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Set a table in plain text, the first column to the left, the others to the right.

    Examples
    --------
    >>> print(text_table(("term", "share"), [("age", "12.3%"), ("sex × age", "4.0%")]))
    term       share
    ─────────  ─────
    age        12.3%
    sex × age   4.0%
    """
    widths = [max(len(cell) for cell in column) for column in zip(headers, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()

    return "\n".join([line(headers), "  ".join("─" * width for width in widths), *map(line, rows)])
