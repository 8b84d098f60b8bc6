"""Claims on fidelity, overlaps, support and columns, against rows, or the averages that are kept of held-out rows."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_predict

from benchmarks.facts.checks import Check, equal, near, printed, within
from benchmarks.facts.claims_shares import EXACT, interval
from benchmarks.facts.page import Page, Said
from benchmarks.facts.printed import reading

Checker = Callable[[Page, Said], Iterator[Check]]
MOST_LOOKED_AT = 1500
OTHER_KIND = {"as_they_are": 0.4, "logarithms": 0.2}  # of R² on other rows: what trees and splines may differ by
STATUSES = {
    "checks passed": "pass",
    "checks failed": "fail",
    "checks that call for caution": "warn",
    "checks not tested": "not tested",
}


def r_squared(page: Page, said: Said) -> Iterator[Check]:
    """Compute R² on the rows of the fit, or from averages over held-out rows: what they hold is no page's to keep."""
    residual = page.predictions[:, said.output] - page.explained[:, said.output]
    true = 1 - float(np.average(residual**2, weights=page.weights) / page.variance(said.output))
    if said.written["over"] == "held-out rows":
        true = 1 - page.unexplained(said.output)
    yield near("R²", said["r2"], true, EXACT)


def resting_rows(page: Page, said: Said) -> Iterator[Check]:
    """Count effective rows: (Σ v²)² / Σ v⁴ of the predictions bounds them from above."""
    centered = page.predictions[:, said.output] - page.predictions[:, said.output].mean()
    most = float((centered**2).sum() ** 2 / (centered**4).sum())
    held_out = page.held_out
    yield equal("held-out rows", said["n_held_out"], float(held_out.n_rows))
    rows = [float(held_out.hardest.gap_rows[said.output]), float(held_out.hardest.prediction_rows[said.output])]
    yield equal("rows", said["n_rows"] in {float(round(count)) for count in (*rows, most, 1.0)}, True)


def elsewhere(page: Page, said: Said) -> Iterator[Check]:
    """See that the interval holds R² on held-out rows."""
    yield within("interval of R²", 1 - page.unexplained(said.output), said["low"] - EXACT, said["high"] + EXACT)


def left_out(page: Page, said: Said) -> Iterator[Check]:
    """Look up what the fit expects of an interaction that it has no term for."""
    known = dict(page.dec.beyond)
    yield near("expected share", said["share"], known.get(said.terms[0], np.nan))
    yield equal("it has no term", said.terms[0] in page.terms, False)
    yield equal("order", said["order"], float(len(said.terms[0])))


def logarithms(page: Page, said: Said) -> Iterator[Check]:
    """Fit main effects of another kind to the same rows, as they are and as logarithms."""
    step = max(-(-len(page.values) // MOST_LOOKED_AT), 1)
    rows, predictions = page.values[::step], page.predictions[::step, said.output]
    yield equal("rows", said["n_rows"], float(len(rows)))
    additive = HistGradientBoostingRegressor(interaction_cst="no_interactions", random_state=0)
    for name, y in (("as_they_are", predictions), ("logarithms", np.log(predictions))):
        true = 1 - float(((cross_val_predict(additive, rows, y, cv=5) - y) ** 2).mean() / y.var())
        yield within(name, said[name], true - OTHER_KIND[name], true + OTHER_KIND[name])
    yield within("what logarithms add", said["logarithms"] - said["as_they_are"], 0.0, 1.0)


def rows_needed(page: Page, said: Said) -> Iterator[Check]:
    """Apply the rule: forty rows, or under long tails one in twenty-five."""
    held_out = page.dec.held_out
    few = float(held_out.n_rows) / 25 if held_out is not None and _kurtosis(page, said) > 25 else 0.0
    yield equal("rows needed", said["n_rows"], float(round(max(40.0, few))))


def _kurtosis(page: Page, said: Said) -> float:
    centered = page.predictions[:, said.output] - page.predictions[:, said.output].mean()
    return float((centered**4).mean() / (centered**2).mean() ** 2)


def hardest_rows(page: Page, said: Said) -> Iterator[Check]:
    """Look the rows up that held-out averages name."""
    hardest = page.held_out.hardest
    shares = dict(zip(hardest.positions[:, said.output].tolist(), hardest.shares[:, said.output].tolist(), strict=True))
    yield equal("rows that are not among the hardest", [row for row in said.rows if row not in shares], [])
    yield near("their share", said["share"], sum(shares.get(row, 0.0) for row in said.rows))


def long_tails(page: Page, said: Said) -> Iterator[Check]:
    """Compute the kurtosis of the predictions."""
    yield near("kurtosis", said["kurtosis"], _kurtosis(page, said), 1e-3 * said["kurtosis"])
    yield within("it is large", said["kurtosis"], 25.0, np.inf)


def worse_fit(page: Page, said: Said) -> Iterator[Check]:
    """Subtract R² on held-out rows from that on the rows of the fit."""
    residual = page.predictions[:, said.output] - page.explained[:, said.output]
    inside = float((residual**2).mean() / page.variance(said.output))
    yield near("R² in sample minus R² held out", said["drop"], page.unexplained(said.output) - inside, EXACT)


def off_data(page: Page, said: Said) -> Iterator[Check]:
    """Look up what fits with and without recombined rows left unexplained."""
    found = page.dec.asking.off_data
    yield near("without", said["rows_only"], found.rows_only)
    yield near("with", said["asked"], found.asked)
    yield equal("outputs", said["n_outputs"], float(len(page.dec.output_names)))
    sizes = np.array(found.by_feature)
    order = [sizes[index] for index in said.features]
    yield equal("largest first", order, sorted(order, reverse=True))
    if order:
        yield near("the first is the largest", float(order[0]), float(sizes.max()))


def limits(page: Page, said: Said) -> Iterator[Check]:
    """Compare with the limits that the page lists for the check."""
    row = next(row for row in page.document["limits"]["rows"] if row[0] == "AR002")
    for name, text in (("warn", row[2]), ("fail", row[3])):
        if text == "never":
            yield equal(name, name in said.numbers, False)
        else:
            yield printed(name, text.removeprefix("beyond "), said[name])


def checks_of(page: Page, said: Said) -> Iterator[Check]:
    """Count the findings of a status."""
    findings = page.document["outputs"][said.output]["findings"]
    waived, status = said.kind == "checks waived", STATUSES.get(said.kind)
    counted = [item for item in findings if (item["waiver"] is not None) == waived]
    named = [
        item["title"] if "AR101" <= item["code"] <= "AR199" else item["title"].lower()
        for item in counted
        if waived or item["status"] == status
    ]
    yield equal("checks", said["count"], float(len(named)))
    yield equal("their names", said.places, named)
    counts = Counter(item["status"] for item in findings)
    yield equal("checks that apply", said["applied"], float(len(findings) - counts["not applicable"]))


def deviation(page: Page, said: Said) -> Iterator[Check]:
    """Compute the standard deviation of the predictions."""
    yield near("deviation", said["deviation"], page.variance(said.output) ** 0.5)


def constant(page: Page, said: Said) -> Iterator[Check]:
    """See that all predictions are the same."""
    column = page.predictions[:, said.output]
    yield near("value", said["value"], float(column[0]))
    yield within("range", float(np.ptp(column)), 0.0, 1e-9 * abs(float(column[0])))


def rows_and_features(page: Page, said: Said) -> Iterator[Check]:
    """Count rows and features, and what rows are worth where some are copies."""
    yield equal("rows", said["n_rows"], float(page.n_fitted))
    yield equal("features", said["n_features"], float(len(page.features)))
    if "n_effective" in said.numbers and not said.places:
        _, counts = np.unique(np.nan_to_num(page.values, nan=-1e300), axis=0, return_counts=True)
        effective = counts.sum() ** 2 / (counts.astype(float) ** 2).sum()
        yield near("effective rows", said["n_effective"], float(effective), 1e-6 * effective)


def overlap(page: Page, said: Said) -> Iterator[Check]:
    """Compute the cosine of a term with a part of it, and what chance gives, from averages of products."""
    moments = page.held_out if said.written["over"] == "held-out rows" else page.dec.in_sample
    term, part = (page.terms.index(term) for term in said.terms)
    seconds = moments.seconds[:, :, said.output]
    own, other = seconds[term, term], seconds[part, part]
    yield equal("it is a part", set(said.terms[1]) < set(said.terms[0]), True)
    yield near("cosine", said["cosine"], float(abs(seconds[term, part]) / np.sqrt(own * other)), EXACT)
    at = [pair for pair in _relations(page) if pair in [tuple(said.terms)]]
    fourths = moments.fourths[_relations(page).index(at[0]), said.output]
    law = page.dec.population
    rows = (moments.n_effective or moments.n_rows) if law is None else law.n_effective
    yield near("floor", said["floor"], min(float(3.0 * np.sqrt(fourths / (rows * own * other))), 1.0), 1e-6)


def _relations(page: Page) -> list[tuple[Any, ...]]:
    """List terms with those of their parts that are components, in the order of the terms."""
    found = []
    for term in page.terms:
        parts = (part for order in range(1, len(term)) for part in combinations(term, order))
        found += [(term, part) for part in parts if part in page.terms]
    return found


def beyond_limit(_page: Page, said: Said) -> Iterator[Check]:
    """Count the cells of the matrix that are marked."""
    cells = said.holder["data"]["cells"]
    yield equal("limits", [said["limit"], said["least"]], [0.05, 0.01])
    marked = [cell for cell in cells if cell["status"] == "beyond"]
    yield equal("cells beyond the limit", said["n_beyond"], float(len(marked)))
    wrong = [cell["label"] for cell in marked if not abs(cell["value"]) > max(cell["floor"], said["limit"])]
    yield equal("cells that are within", wrong, [])
    small = [cell["label"] for cell in cells if (cell["status"] == "small") != (cell["share"] < said["least"])]
    yield equal("cells of another size", small, [])


def leakage(page: Page, said: Said) -> Iterator[Check]:
    """Look up leakage and its floor, which only the fits that saw no held-out row know."""
    held_out = page.held_out
    at = _relations(page).index(tuple(said.terms))
    yield near("leakage", said["share"], float(held_out.leakages[at, said.output]))
    if "floor" in said.numbers:
        yield near("floor", said["floor"], float(held_out.leakage_floors[at, said.output]))


def precision(page: Page, said: Said) -> Iterator[Check]:
    """Compute a share, and half the width of its interval as a part of it."""
    true = page.share(said.terms, said.output)[1]
    yield near("share", said["share"], true, EXACT)
    yield from interval(said, true)
    whole = max(abs(true), 0.1)
    yield near("what it is a part of", said["of"], whole, EXACT)
    yield near("width", said["width"], (said["high"] - said["low"]) / 2 / whole, 1e-6)


def _widest(said: Said) -> Said:
    return next(Said(one, said.holder) for one in said.holder["claims"] if one["kind"] == "least precise share")


def sign(_page: Page, said: Said) -> Iterator[Check]:
    """See that zero lies in the interval."""
    widest = _widest(said)
    yield equal("zero is possible", widest["low"] <= 0 <= widest["high"], True)


def rank(page: Page, said: Said) -> Iterator[Check]:
    """Find the shares that lie in the interval."""
    widest = _widest(said)
    shares = {page.label(term): page.share([term], said.output)[1] for term in page.terms}
    inside = [name for name, share in shares.items() if widest["low"] - EXACT <= share <= widest["high"] + EXACT]
    yield equal("terms that lie elsewhere", [name for name in said.places if name in shares and name not in inside], [])


def certain(_page: Page, said: Said) -> Iterator[Check]:
    """See that the sign is certain, too."""
    widest = _widest(said)
    yield equal("zero is possible", widest["low"] <= 0 <= widest["high"], False)


def _limit(page: Page, code: str) -> float:
    """Read where caution begins off the table of limits."""
    return float(np.mean(reading(next(row[2] for row in page.document["limits"]["rows"] if row[0] == code)[7:])))


def rows_wanted(page: Page, said: Said) -> Iterator[Check]:
    """Apply the rule that intervals shrink with the root of the number of rows."""
    rows = page.dec.in_sample.n_effective or page.n_fitted
    wanted = float(np.ceil(rows * (_widest(said)["width"] / _limit(page, "AR006")) ** 2 - 1e-6))
    step = 10.0 ** max(np.floor(np.log10(wanted)) - 1, 0)  # two digits, rounded up
    yield equal("rows", said["n_rows"], float(np.ceil(wanted / step) * step))


def structural_sum(page: Page, said: Said) -> Iterator[Check]:
    """Add the structural shares of all terms up."""
    yield near("sum", said["sum"], sum(page.share([term], said.output)[0] for term in page.terms), EXACT)


def moving(page: Page, said: Said) -> Iterator[Check]:
    """Correlate two components over all rows, and count the pairs that correlate as strongly."""
    first, second = (page.components[:, page.terms.index(term), said.output] for term in said.terms)
    yield near("correlation", said["correlation"], float(np.corrcoef(first, second)[0, 1]), 1e-6)
    for name, term in zip(("first", "second"), said.terms, strict=True):
        yield near(f"share of the {name}", said[name], page.share([term], said.output)[0], EXACT)


def moving_limits(page: Page, said: Said) -> Iterator[Check]:
    """See, where none is said to, that no two effects correlate more strongly."""
    yield equal("limits", [said["moving"], said["alike"], said["cancelling"]], [0.05, 0.7, 1.5])
    if any(one["kind"] == "effects that move together" for one in said.holder["claims"]):
        return
    large = [at for at, term in enumerate(page.terms) if page.share([term], said.output)[0] >= said["moving"] + EXACT]
    sizes = np.atleast_2d(np.corrcoef(page.components[:, large, said.output].T)) if len(large) > 1 else np.eye(1)
    yield within("largest correlation", float(np.abs(np.triu(sizes, 1)).max()), 0.0, said["alike"] + 1e-6)
    total = next(one for one in said.holder["claims"] if one["kind"] == "sum of structural shares")
    yield within("sum", total["numbers"]["sum"], 0.0, said["cancelling"] + EXACT)


def outside(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows outside of what the fit has seen of every feature."""
    counts = page.dec.outside(page.X).sum(axis=0)
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield equal("outside", said["n_outside"], float(counts[said.features[0]]))
    yield equal("no feature has more", float(counts.max()), said["n_outside"])


def beyond(page: Page, said: Said) -> Iterator[Check]:
    """Find the rows that lie beyond in any feature."""
    rows = np.flatnonzero(page.dec.outside(page.X).any(axis=1)).tolist()
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield equal("beyond", said["n_beyond"], float(len(rows)))
    yield equal("the first of them", said.rows, rows[: len(said.rows)])


def combinations_unseen(page: Page, said: Said) -> Iterator[Check]:
    """Compare with the share that chance gives; rows of the fit combine nothing that it has not seen."""
    known = page.dec.joint_support
    yield near("chance", said["chance"], known.chance if known is not None else np.nan)
    yield equal("rows of the fit with unseen combinations", said["share"], 0.0)


def cells_unread(page: Page, said: Said) -> Iterator[Check]:
    """Find the column among those that the fit left out."""
    left = {column.name: column.reason for column in page.dec.left_out}
    yield equal("column", said.places[0] in left, True)
    yield equal("reason", said.places[1], left.get(said.places[0]))
    yield near("share", said["share"], 1.0)


def most_unread(_page: Page, said: Said) -> Iterator[Check]:
    """See that it is little."""
    yield within("share", said["share"], 0.0, 0.01)


def truth(page: Page, said: Said) -> Iterator[Check]:
    """Correlate a column with the predictions."""
    column, explained = page.values[:, said.features[0]], page.explained[:, said.output]
    true = abs(float(np.corrcoef(column, explained)[0, 1]))
    yield within("correlation", abs(said["correlation"]), true - 0.05, 1.0)


def numbering(page: Page, said: Said) -> Iterator[Check]:
    """See that every row has another whole number."""
    yield equal("rows", said["n_rows"], float(len(page.values)))
    for index in said.features:
        column = page.values[:, index]
        yield equal("numbers", len(np.unique(column[column % 1 == 0])), len(column))


TRUST: dict[str, Checker] = {
    "R²": r_squared,
    "rows that R² rests on": resting_rows,
    "R² on other rows": elsewhere,
    "interaction that is left out": left_out,
    "main effects of logarithms": logarithms,
    "rows that R² should rest on": rows_needed,
    "rows with the largest residuals": hardest_rows,
    "long tails": long_tails,
    "worse fit": worse_fit,
    "fits with and without recombined rows": off_data,
    "limits": limits,
    "checks passed": checks_of,
    "checks failed": checks_of,
    "checks that call for caution": checks_of,
    "checks not tested": checks_of,
    "checks waived": checks_of,
    "constant predictions": constant,
    "deviation of predictions": deviation,
    "rows and features": rows_and_features,
    "overlap": overlap,
    "overlaps beyond the limit": beyond_limit,
    "leakage": leakage,
    "least precise share": precision,
    "sign may change": sign,
    "rank may change": rank,
    "rank is certain": certain,
    "rows for precise shares": rows_wanted,
    "sum of structural shares": structural_sum,
    "effects that move together": moving,
    "limits of moving together": moving_limits,
    "rows outside": outside,
    "rows beyond the fit": beyond,
    "unseen combinations": combinations_unseen,
    "cells that were not read": cells_unread,
    "most cells that were not read": most_unread,
    "truth among the columns": truth,
    "columns that number rows": numbering,
}
