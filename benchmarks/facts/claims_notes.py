"""Claims of notes: where a model was asked, under which rows it was decomposed, and which rows are kept."""

from collections.abc import Callable, Iterator

import numpy as np

from anova_report.core.result.explanation import Explanation
from benchmarks.facts.checks import Check, equal, near
from benchmarks.facts.page import Floats, Page, Said, coded, within_rows

Checker = Callable[[Page, Said], Iterator[Check]]
QUESTIONS = 1000  # that show that a feature is not read


def asked(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows, and look up how many recombined ones the fit has predictions of."""
    yield equal("rows", said["n_rows"], float(page.dec.in_sample.n_rows))
    yield equal("recombined rows", said["n_asked"], float(page.dec.asking.n_asked if page.dec.asking else -1))


def together(page: Page, said: Said) -> Iterator[Check]:
    """Look up which features the fit recombined together."""
    known = page.dec.asking.together if page.dec.asking else ()
    yield equal("recombined together", said.features in known, True)


def not_read(page: Page, said: Said) -> Iterator[Check]:
    """Ask the model again with values of the features from other rows: it predicts the same."""
    yield equal("questions", said["n_times"], float(QUESTIONS))
    yield equal("components", [term for term in page.terms if set(term) & set(said.features)], [])
    if isinstance(page.dec, Explanation):
        order = np.random.default_rng(1).permutation(len(page.X))
        for index in said.features:
            name = page.columns[index]
            changed = page.X.assign(**{name: page.X[name].to_numpy()[order]})
            apart = np.abs(page.dec.ask(changed).reshape(page.predictions.shape) - page.predictions).max()
            yield near(f"change of the prediction with {name}", float(apart), 0.0, 1e-9 * float(page.predictions.std()))


def left_out(page: Page, said: Said) -> Iterator[Check]:
    """See that no column that was left out is a feature."""
    yield equal("columns left out", said.places, [column.name for column in page.dec.left_out])
    yield equal("features among them", sorted(set(said.places) & set(page.columns)), [])


def folded(page: Page, said: Said) -> Iterator[Check]:
    """Count the columns of zeros and ones whose names begin with that of a feature: no row has two ones."""
    name = page.columns[said.features[0]]
    own = [column for column in page.X.columns if column.startswith(name) and column not in page.columns]
    yield equal("columns", said["n_columns"], float(len(own)))
    yield equal("rows with two ones", int((page.X[own].sum(axis=1) > 1).sum()), 0)


def population(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows of the population that count, and those with predictions."""
    values = _population(page)
    yield equal("rows", said["n_rows"], float(len(values) - _unknown(page, values).sum()))
    yield equal("rows with predictions", said["n_predicted"], float(page.dec.in_sample.n_rows))


def beyond(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows of the population with a number beyond the range of the rows of the fit."""
    values = _population(page)
    off = np.zeros(len(values), dtype=bool)
    for index, feature in enumerate(page.dec.features):
        if not feature.levels:
            off |= ~within_rows(values[:, index], page.values[:, index]) & ~np.isnan(values[:, index])
    yield equal("rows", said["n_rows"], float((off & ~_unknown(page, values)).sum()))


def combining(page: Page, said: Said) -> Iterator[Check]:
    """Look up which rows combine values of two features as no row of the fit does: only the fit knows its cells."""
    values, support = _population(page), page.dec.joint_support
    values = values[~_unknown(page, values)]
    unseen = support.unseen(page.dec.expansion.reference.marginals, values).any(axis=1) if support else np.zeros(0)
    yield equal("rows", said["n_rows"], float(unseen.sum()))


def unknown(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows of the population with a level, or without a value, as no row of the fit."""
    yield equal("rows", said["n_rows"], float(_unknown(page, _population(page)).sum()))


def _population(page: Page) -> Floats:
    """Return the rows of the population: those of the page where it is none of other rows, as of a cohort."""
    return page.values if page.population is None else coded(page, page.population)


def _unknown(page: Page, values: Floats) -> Floats:
    found = np.zeros(len(values), dtype=bool)
    for index, feature in enumerate(page.dec.features):
        column, known = values[:, index], page.values[:, index]
        found |= np.isnan(column) & ~np.isnan(known).any()
        if feature.levels:
            found |= ~np.isnan(column) & ~np.isin(column, known)
    return found


def sure(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows with a probability of 0 or 1."""
    yield equal("rows", said["n_rows"], float(len(page.predictions)))
    yield equal("sure rows", said["n_sure"], float(np.isin(page.predictions, (0.0, 1.0)).any(axis=1).sum()))


def kept(page: Page, said: Said) -> Iterator[Check]:
    """Count the rows that are kept of a table in parts."""
    yield equal("rows that are kept", said["n_drawn"], float(len(page.X)))
    yield equal("rows of the fit", said["n_rows"], float(page.dec.in_sample.n_rows))
    yield equal("seed", said["seed"], float(page.dec.settings["random_state"]))


NOTES: dict[str, Checker] = {
    "rows asked": asked,
    "recombined together": together,
    "features not read": not_read,
    "columns left out": left_out,
    "columns read as one": folded,
    "population": population,
    "rows of the population beyond the fit": beyond,
    "rows of the population that combine anew": combining,
    "rows left out of the population": unknown,
    "sure predictions": sure,
    "rows kept of many": kept,
}
