"""Claims on rows, on predictions, and on what a prediction is made of, against rows and components."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.facts.checks import Check, equal, near, within
from benchmarks.facts.page import Floats, Page, Said, place, value_of
from benchmarks.facts.printed import reading

Checker = Callable[[Page, Said], Iterator[Check]]
FAR = 0.5  # standard deviations: what captions call a large residual


def _column(page: Page, said: Said) -> Floats:
    return page.values[:, said.features[0]] if said.features else page.predictions[:, said.output]


def missing_values(page: Page, said: Said) -> Iterator[Check]:
    """Count gaps."""
    yield near("share of missing values", said["share"], float(np.isnan(_column(page, said)).mean()))


def levels(page: Page, said: Said) -> Iterator[Check]:
    """Count levels, and the rows of the most frequent."""
    column = _column(page, said)
    codes, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    feature = page.dec.features[said.features[0]]
    yield equal("levels", said["n_levels"], float(len(codes)))
    yield equal("rows of the most frequent level", counts[codes == said["most"]].tolist(), [counts.max()])
    yield equal("its name", said.places[0], feature.levels[int(said["most"])])
    yield near("its share", said["share"], float(counts.max() / counts.sum()))


def truth_value(page: Page, said: Said) -> Iterator[Check]:
    """Count what is true."""
    yield near("share that is true", said["share"], float(np.nanmean(_column(page, said))))


def value_range(page: Page, said: Said) -> Iterator[Check]:
    """Sort the values."""
    column = np.sort(_column(page, said))
    known = column[~np.isnan(column)]
    middle = known[[(len(known) - 1) // 2, len(known) // 2]]
    yield near("lowest value", said["low"], float(known[0]))
    yield within("median", said["median"], float(middle[0]), float(middle[1]))
    yield near("highest value", said["high"], float(known[-1]))
    yield from _places(page, said, ("low", "median", "high"))


def _places(page: Page, said: Said, names: tuple[str, ...]) -> Iterator[Check]:
    """Compare values as they are written with the numbers they stand for."""
    for text, name in zip(said.places, names, strict=True):
        low, high = place(page.dec.features[said.features[0]], text) if said.features else reading(page.size(text))
        room = 1e-6 * (abs(high) + abs(low)) + 1e-12
        yield within(f"{name}, written {text}", said[name], low - room, high + room)


def nothing_known(page: Page, said: Said) -> Iterator[Check]:
    """Look for any value that the fit knows."""
    yield equal("values that are known", int((~np.isnan(_column(page, said))).sum()), 0)


def spread(page: Page, said: Said) -> Iterator[Check]:
    """Compute quantiles, mean and standard deviation of the predictions."""
    column = np.sort(_column(page, said))
    levels = {"low": 0.0, "quarter": 0.25, "median": 0.5, "three_quarters": 0.75, "high": 1.0}
    for name, level in levels.items():
        yield near(name, said[name], _quantile(column, level), 1e-9 * float(np.abs(column).max()))
    yield near("mean", said["mean"], float(column.mean()), 1e-9 * float(np.abs(column).max()))
    yield near("deviation", said["deviation"], float(np.sqrt(((column - column.mean()) ** 2).mean())))


def base_rate(page: Page, said: Said) -> Iterator[Check]:
    """Average the explanation, as rows count: effects have mean zero."""
    true = float(np.average(page.explained[:, said.output], weights=page.weights))
    yield near("base rate", said["mean"], true, 1e-3 * page.variance(said.output) ** 0.5)


def _quantile(ordered: Floats, level: float) -> float:
    """Interpolate between the two values beside a quantile."""
    at = level * (len(ordered) - 1)
    below = int(np.floor(at))
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (at - below) * (ordered[above] - ordered[below]))


def mean_and_deviation(page: Page, said: Said) -> Iterator[Check]:
    """Compute mean and standard deviation of the predictions of the fit."""
    column = page.predictions[:, said.output]
    yield near("mean", said["mean"], float(column.mean()))
    yield near("deviation", said["deviation"], float(column.std()))


# --- pictures of rows ---


def typical_residual(page: Page, said: Said) -> Iterator[Check]:
    """Compute the residuals of the rows that are drawn, which are those of the points."""
    rows = said.holder["data"]["rows"]
    residual = page.predictions[rows, said.output] - page.explained[rows, said.output]
    deviation = float(page.predictions[:, said.output].std())
    yield equal("points", said["n_drawn"], float(len(rows)))
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield near("typical residual", said["residual"], float(np.sqrt((residual**2).mean())))
    yield near("deviation", said["deviation"], deviation)
    if "far" in said.numbers:
        yield near("share of large residuals", said["far"], float((np.abs(residual) > FAR * deviation).mean()))


def most_frequent(page: Page, said: Said) -> Iterator[Check]:
    """Count every value."""
    column = _column(page, said)
    _, counts = np.unique(column, return_counts=True)
    yield equal("rows", said["n_rows"], float(len(column)))
    yield equal("rows of the most frequent value", said["rows"], float(counts.max()))
    if said.features and said.places[0] != "(missing)":
        value = value_of(page.dec.features[said.features[0]], said.places[0], column)
        yield equal(f"rows of {said.places[0]}", float((column == value).sum()), said["rows"])
    yield equal("values", said["n_values"], float(min(len(counts), 20 + int(np.isnan(column).any()))))


def middle_half(page: Page, said: Said) -> Iterator[Check]:
    """Compute quartiles, and count what is not drawn."""
    column = _column(page, said)
    known = np.sort(column[~np.isnan(column)])
    yield equal("rows", said["n_rows"], float(len(column)))
    quartiles = {"quarter": 0.25, "median": 0.5, "three_quarters": 0.75}
    for name, level in quartiles.items():
        yield near(name, said[name], _quantile(known, level), 1e-9 * float(np.abs(known).max()))
    yield from _places(page, said, tuple(quartiles))
    missing = float(np.isnan(column).mean())
    yield near("missing", said.numbers.get("missing", 0.0), missing)
    low, high = (said.holder["data"]["x"][end] for end in ("low", "high"))
    yield near("beyond", said.numbers.get("beyond", 0.0), float(((known < low) | (known > high)).sum() / len(column)))


def residuals_by_region(page: Page, said: Said) -> Iterator[Check]:
    """Find the regions with the largest and the smallest residual among those that are drawn."""
    rows, output = page.drawn_rows, said.output
    residual = (page.predictions[rows, output] - page.explained[rows, output]) / page.predictions[:, output].std()
    yield equal("rows", said["n_rows"], float(len(rows)))
    yield near("typical residual", said["typical"], float(np.sqrt((residual**2).mean())))
    data = said.holder["data"]
    sizes = {
        (name, region): size
        for name, bins, gaps, counts in zip(data["features"], data["bins"], data["gap"], data["count"], strict=True)
        for region, size, count in zip(bins, gaps, counts, strict=True)
        if count >= 10
    }
    ends = {"largest": max(sizes.values()), "smallest": min(sizes.values())}
    for (name, true), index, region in zip(ends.items(), said.features, said.places, strict=True):
        yield near(name, said[name], true, 1e-4)
        yield near(f"where {page.features[index]} is {region}", sizes[page.features[index], region], true, 1e-4)


# --- single rows ---


def whole(page: Page, said: Said) -> Iterator[Check]:
    """Look the prediction of a row, or its explanation, and the mean up."""
    row, known = said.rows[0], said.kind == "prediction"
    yield near(said.kind, said["value"], float((page.predictions if known else page.explained)[row, said.output]))
    yield near("mean", said["mean"], float(page.mean[said.output]))


def contribution(page: Page, said: Said) -> Iterator[Check]:
    """Evaluate a component at a row, and see whether any that is not named is larger."""
    values = page.components[said.rows[0], :, said.output]
    true = float(values[page.terms.index(said.terms[0])])
    largest = float(np.abs(values).max())
    yield near("contribution", said["value"], true, 1e-9 * largest)
    named = {page.terms.index(other.terms[0]) for other in said.others}
    left = [abs(value) for at, value in enumerate(values) if at not in named and value * true > 0]
    yield within("largest contribution that is not named", max(left, default=0.0), 0.0, abs(true) + 1e-4 * largest)


def sum_of_contributions(page: Page, said: Said) -> Iterator[Check]:
    """Add the components of a row up."""
    row, output = said.rows[0], said.output
    explained, prediction = float(page.explained[row, output]), float(page.predictions[row, output])
    scale = 1e-9 * max(abs(explained), abs(prediction))
    yield near("sum of the terms", said["explained"], explained, scale)
    yield near("residual", said["residual"], prediction - explained, scale)


def way_from_the_mean(page: Page, said: Said) -> Iterator[Check]:
    """Look mean, explanation and prediction of a row up."""
    yield near("mean", said["mean"], float(page.mean[said.output]))
    yield near("explained", said["explained"], float(page.explained[said.rows[0], said.output]))
    if "prediction" in said.numbers:
        prediction = float(page.predictions[said.rows[0], said.output])
        scale = 1e-9 * max(abs(prediction), abs(said["explained"]))
        yield near("prediction", said["prediction"], prediction, scale)
        yield near("residual", said["residual"], prediction - page.explained[said.rows[0], said.output], scale)


def further_contributions(page: Page, said: Said) -> Iterator[Check]:
    """Count the steps of a picture beyond those that are named."""
    steps, named = said.holder["data"]["steps"], [one for one in said.holder["claims"] if one["kind"] == "contribution"]
    yield equal("further steps", said["n_steps"], float(len(steps) - len(named)))
    ways = int((page.components[said.rows[0], :, said.output] != 0).sum())
    yield within("steps", len(steps), min(len(named), ways), ways)


def not_seen(page: Page, said: Said) -> Iterator[Check]:
    """Look whether the table holds such a value; combinations are known to the decomposition alone."""
    if len(said.features) == 1:
        outside = page.dec.outside(page.X.iloc[said.rows[0] : said.rows[0] + 1])
        yield equal("value that the fit has not seen", bool(outside[0, said.features[0]]), True)
    else:
        yield equal("two features", len(set(said.features)), 2)


def place_of_a_row(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows that are still more typical, higher or lower, or have a larger residual."""
    row, output = said.rows[0], said.output
    explained = page.explained[:, output]
    residual = page.predictions[:, output] - explained
    orders = {
        "typical case": (page.components[:, :, output] ** 2).sum(axis=1) + residual**2,
        "highest explained value": -explained,
        "lowest explained value": explained,
        "largest residual": -np.abs(residual),
    }
    order = orders[said.kind]
    yield equal("a place is a whole number", said["place"] % 1, 0.0)
    room = 1e-9 * float(np.abs(order).max())
    before, level = int((order < order[row] - room).sum()), int((order <= order[row] + room).sum())
    yield within(f"place among rows: {said.kind}", said["place"], before + 1, level)


def chosen_case(page: Page, said: Said) -> Iterator[Check]:
    """See that there is such a row."""
    yield within("row", said.rows[0], 0, len(page.values) - 1)


def as_probabilities(page: Page, said: Said) -> Iterator[Check]:
    """Turn logits of a row into probabilities."""
    logits = {"mean": page.mean[said.output], "explained": page.explained[said.rows[0], said.output]}
    logits["prediction"] = page.predictions[said.rows[0], said.output]
    for name, value in said.numbers.items():
        yield near(name, value, float(1 / (1 + np.exp(-logits[name]))))


def model_itself(page: Page, said: Said) -> Iterator[Check]:
    """See that the residual is that from the explanation of the row."""
    explained = float(page.explained[said.rows[0], said.output])
    yield near("residual", said["residual"], said["prediction"] - explained)


def points(page: Page, said: Said) -> Iterator[Check]:
    """Count rows, of which no more are drawn."""
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield within("points", said["n_drawn"], 0.0, said["n_rows"])


def table_size(page: Page, said: Said) -> Iterator[Check]:
    """Count rows, features and features with gaps."""
    yield equal("rows", said["n_rows"], float(len(page.values)))
    yield equal("features", said["n_features"], float(len(page.features)))
    yield equal("features with gaps", said["n_missing"], float(np.isnan(page.values).any(axis=0).sum()))


def cases(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows that are explained."""
    yield equal("cases", said["n_cases"], float(len(page.document["outputs"][said.output]["cases"])))


def methods(page: Page, said: Said) -> Iterator[Check]:
    """Count the other methods of the page."""
    others = page.document["outputs"][said.output]["others"]
    yield equal("methods", said["n_methods"], float(len(others["methods"])))


ROWS: dict[str, Checker] = {
    "missing values": missing_values,
    "levels": levels,
    "truth value": truth_value,
    "range": value_range,
    "base rate": base_rate,
    "nothing known": nothing_known,
    "spread of predictions": spread,
    "mean and deviation": mean_and_deviation,
    "typical residual": typical_residual,
    "most frequent value": most_frequent,
    "middle half": middle_half,
    "residuals by region": residuals_by_region,
    "prediction": whole,
    "explained value": whole,
    "contribution": contribution,
    "sum of contributions": sum_of_contributions,
    "way from the mean": way_from_the_mean,
    "further contributions": further_contributions,
    "not seen in the fit": not_seen,
    "typical case": place_of_a_row,
    "highest explained value": place_of_a_row,
    "lowest explained value": place_of_a_row,
    "largest residual": place_of_a_row,
    "chosen case": chosen_case,
    "row as probabilities": as_probabilities,
    "prediction of the model itself": model_itself,
    "points of a sample": points,
    "size of the table": table_size,
    "cases explained": cases,
    "methods compared": methods,
}
