"""The two ways in: `FunctionalANOVA` from inputs and answers, `explain` from a model."""

from typing import Any, Self

import numpy as np
from sklearn.utils import Tags

from anova_report.core.decomposition import Decomposition
from anova_report.core.fit.recipe import Recipe, estimate
from anova_report.core.fit.rows import ArrayRows, RowSource, Tally, tally
from anova_report.core.input.black_box import Scale, ask
from anova_report.core.input.chunks import Chunks, read_chunks
from anova_report.core.input.features import Feature
from anova_report.core.input.predictions import Answers
from anova_report.core.input.table import Sample, open_table, read_sample
from anova_report.core.published.closed_form import PublishedANOVA
from anova_report.core.published.densities import ScalingName
from anova_report.core.regressor import AnovaRegressor
from anova_report.errors import InputError

MAX_ORDER = 3
MIN_ROWS = 3


class FunctionalANOVA(AnovaRegressor):
    """Decompose answers into main effects and interactions that are orthogonal although inputs are dependent.

    Numbers, ordered and nominal levels, dates and missing values are all at home. Nothing needs tuning: which pairs
    matter, how fine functions are and how strongly they are smoothed is chosen from the data, and the fidelity that is
    reported is that on rows which none of these choices has seen.

    Parameters
    ----------
    max_order : {1, 2, 3}
        Highest number of features in one term: 1 for main effects only, 2 for pairs, 3 for triples as well.
    random_state : int, Generator or None
        Decides which rows are held out; the same seed gives the same result.
    progress : bool
        Show a bar once the fit has taken two seconds.

    Attributes
    ----------
    decomposition_ : Decomposition
        The result.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> answers = X[:, 0] * X[:, 1] + np.sin(X[:, 1])
    >>> fanova = FunctionalANOVA(random_state=0).fit(X, answers)
    >>> fanova.decomposition_.terms
    ((0,), (1,), (0, 1))
    >>> bool(fanova.score(X, answers) > 0.99)
    True
    """

    def __init__(self, max_order: int = 2, *, random_state: Any = None, progress: bool = True) -> None:
        self.max_order = max_order
        self.random_state = random_state
        self.progress = progress

    def decompose(self, sample: Sample, answers: Answers) -> Decomposition:
        """Run the default recipe on rows that have been read."""
        rows = ArrayRows(sample.values, answers.values)
        return self._decompose(rows, tally(rows, len(sample.features)), sample.features, answers)

    def fit_chunks(self, chunks: Chunks) -> Self:
        """Decompose rows that come in chunks, with the same result as from one table.

        Memory holds one chunk, one block of rows and the sums, never all rows; only the distinct values of each
        column are kept beside them.

        Parameters
        ----------
        chunks : callable
            Returns an iterable over all chunks, each a pair of a table and its answers. It is called for every pass
            over the rows, about a dozen times.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(6000, 2))
        >>> pieces = [(X[start : start + 1000], X[start : start + 1000, 0]) for start in range(0, 6000, 1000)]
        >>> FunctionalANOVA(max_order=1, random_state=0).fit_chunks(lambda: pieces).decomposition_.terms
        ((0,), (1,))
        """
        sample = read_chunks(chunks)
        counted = tally(sample.rows, len(sample.features))
        _require_rows(counted.n_rows)
        if not counted.spread.any():
            raise InputError(
                f"The answers are constant in all {counted.n_rows} rows, so there is nothing to decompose."
            )
        self._remember_names(sample.named, sample.features)
        self.decomposition_ = self._decompose(sample.rows, counted, sample.features, sample.answers)
        return self

    def _decompose(
        self, rows: RowSource, counted: Tally, features: tuple[Feature, ...], answers: Answers
    ) -> Decomposition:
        if self.max_order not in range(1, MAX_ORDER + 1):
            raise InputError(f"max_order must be 1, 2 or 3; {self.max_order!r} came.")
        _require_rows(counted.n_rows)
        seed = _seed(self.random_state)
        recipe = Recipe(int(self.max_order), seed, self.progress)
        found = estimate(rows, counted, features, recipe)
        return Decomposition(
            features=features,
            output_names=answers.names,
            expansion=found.expansion,
            in_sample=found.in_sample,
            held_out=found.held_out,
            uncertainty=found.uncertainty,
            single_output=answers.single,
            scale=answers.scale,
            settings=self.settings() | {"random_state": seed},
        )

    @classmethod
    def published(
        cls,
        K: int = 2,
        d: int = 10,
        d_density: int = 4,
        density_clip: float = 0.01,
        scaling: ScalingName = "tanh",
    ) -> PublishedANOVA:
        """Return the estimator of the paper, in the paper's words."""
        return PublishedANOVA(K=K, d=d, d_density=d_density, density_clip=density_clip, scaling=scaling)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _require_rows(n_rows: int) -> None:
    if n_rows < MIN_ROWS:
        raise InputError(
            f"The table has {n_rows} row(s). To learn from some rows and hold out others takes at least {MIN_ROWS}, "
            "better some hundreds."
        )


def _seed(random_state: Any) -> int:
    """Draw the one number everything random in a fit depends on; the decomposition remembers it."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**31))
    raise InputError(
        f"random_state must be a whole number of at least 0, a numpy Generator or None; {random_state!r} came."
    )


def explain(
    model: Any,
    X: Any,
    *,
    scale: Scale = "logit",
    output: Any = None,
    estimator: AnovaRegressor | None = None,
    batch_size: int = 8192,
    progress: bool = True,
    **settings: Any,
) -> Decomposition:
    """Ask a model about every row of a table, and decompose its answers.

    Parameters
    ----------
    model : callable or object with predict, predict_proba or decision_function
        Gets the rows in the form in which X came: a pipeline trained on a frame gets a frame.
    X : table of shape (n_rows, n_features)
    scale : {"logit", "probability"}
        For models with classes.
    output : object, optional
        One class, by its label, or one column of the answers, by its position. By default the second of two classes,
        or all.
    estimator : AnovaRegressor, optional
        `FunctionalANOVA(**settings)` by default.
    batch_size : int
        Rows per call of the model.
    progress : bool
        Show bars once the model, or the fit, has taken two seconds.
    **settings
        Settings of `FunctionalANOVA`.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> dec = explain(lambda rows: 2 * rows[:, 0] + rows[:, 1], X, max_order=1)
    >>> dec.terms
    ((0,), (1,))
    """
    sample = read_sample(X)
    answers = ask(model, open_table(X), scale=scale, output=output, batch_size=batch_size, progress=progress)
    if estimator is None:
        estimator = FunctionalANOVA(progress=progress, **settings)
    return estimator.fit_sample(sample, answers).decomposition_
