"""The estimators: `FunctionalANOVA` from inputs and predictions, and the paper's own."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from anova_report.core.arrays import Floats
from anova_report.core.fit.asking import Questions
from anova_report.core.fit.recipe import TableFacts
from anova_report.core.fit.row_blocks import ArrayRows
from anova_report.core.input.predictions import Predictions, read_predictions, require_variation
from anova_report.core.input.table import Sample, open_table, read_sample
from anova_report.core.input.units import GivenUnits, read_units
from anova_report.core.input.weights import RowWeights, kept, read_weights
from anova_report.core.large.chunks import ChunkedSample, Chunks, read_chunks
from anova_report.core.large.large_recipe import decompose_rows
from anova_report.core.large.part_rows import PartRows
from anova_report.core.large.parts import TableParts, is_dask, open_parts
from anova_report.core.large.parts_fit import fit_parts
from anova_report.core.published.closed_form import decompose_as_published
from anova_report.core.published.densities import ScalingName
from anova_report.core.randomness import draw_seed
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.outside import warn_outside
from anova_report.errors import InputError


class AnovaRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A scikit-learn regressor whose fit is a decomposition; subclasses define how it is made."""

    decomposition_: Decomposition
    n_features_in_: int
    feature_names_in_: Any

    @property
    def folds(self) -> bool:
        """Whether columns of zeros and ones are read as the levels that they stand for."""
        return bool(getattr(self, "fold_one_hot", False))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, time: Any = None) -> Self:
        """Decompose a black box from its inputs and predictions.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Array, nested lists, or a pandas, polars or pyarrow frame; or a table in parts, which may be larger than
            memory: a folder or list of Parquet files, a lazy frame of polars or DuckDB, a Dask frame or array.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            The predictions. Of a table in parts they, and the other arguments, are named as columns of it; with a Dask
            array they may be another one.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts, relative to the others: a weight of zero leaves a row out, and twice the weight is
            the same row twice. Uncertainty is that of as many rows of equal weight as would tell as much.
        groups : array-like of shape (n_rows,), optional
            Rows of one group resemble each other: visits of one patient, say. They are learned from or held out
            together, so that fidelity is that on new groups, and uncertainty is that over groups.
        time : array-like of shape (n_rows,), optional
            Numbers, dates, or text that begins with the year. Rows are held out in blocks of time.
        """
        parts = open_parts(X)
        if parts is not None:
            return self._fit_parts(parts, y, sample_weight, groups, time)
        sample, weights, (y, groups, time) = read_weighted(
            X, sample_weight, fold_one_hot=self.folds, y=y, groups=groups, time=time
        )
        predictions = read_predictions(y, len(sample.values))
        require_variation(predictions)
        return self.fit_sample(sample, predictions, read_units(groups, time, len(sample.values), weights), weights)

    def _fit_parts(self, *_: Any) -> Self:
        """Fit a table in parts, where that can be done."""
        raise InputError(
            "The published method keeps a matrix of all rows, so it cannot read a table in parts. Pass a table in "
            "memory, or use FunctionalANOVA()."
        )

    def fit_sample(
        self,
        sample: Sample,
        predictions: Predictions,
        units: GivenUnits | None = None,
        weights: RowWeights | None = None,
        questions: Questions | None = None,
    ) -> Self:
        """Fit on rows and predictions that have been read, of rows that count; here the predictions may be constant.

        Where the model can be asked `questions`, it is asked at recombined rows as well.
        """
        self._remember_names(sample.named, sample.columns)
        found = self._decompose(sample, predictions, units, weights, questions)
        self.decomposition_ = replace(found, left_out=sample.left_out)
        return self

    @abstractmethod
    def _decompose(
        self,
        sample: Sample,
        predictions: Predictions,
        units: GivenUnits | None,
        weights: RowWeights | None,
        questions: Questions | None,
    ) -> Decomposition: ...

    def _remember_names(self, named: bool, names: Sequence[str]) -> None:
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def predict(self, X: Any) -> Floats:
        """Sum the mean and all components: the explained values.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_outputs)
            With an `ExtrapolationWarning` where rows lie beyond what the fit has seen.
        """
        check_is_fitted(self)
        dec = self.decomposition_
        if is_dask(X):
            return dec.predict(X)
        values = dec.encode(X, reader=type(self).__name__)
        warn_outside(dec.features, dec.expansion.reference, values, None, stacklevel=2)
        predictions = dec.expansion.predict(values)
        return predictions[:, 0] if dec.single_output else predictions

    def settings(self) -> dict[str, Any]:
        """Return the name and the settings of the estimator, as JSON types."""
        return {"estimator": type(self).__name__, **self.get_params()}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class FunctionalANOVA(AnovaRegressor):
    """Decompose predictions into main effects and interactions that are orthogonal although inputs are dependent.

    Inputs may be numbers, ordered or nominal levels, dates, and missing. Nothing needs tuning: which pairs matter, how
    fine and how smooth functions are is chosen from the data, and fidelity is that on rows which none of these choices
    has seen. Where all features have few values and it explains fresh rows no worse, the table of their combinations is
    solved exactly instead, for any dependence; `decomposition_.path` says so.

    Parameters
    ----------
    max_order : {1, 2, 3}
        Highest number of features in one term: 1 for main effects only, 2 for pairs, 3 for triples as well.
    family : {"auto", "waves", "polynomials"}
        Functions of numeric features: polynomials are exact on smooth models, waves follow the steps of trees. By
        default the predictions decide, on rows that judge nothing else; `decomposition_.settings` says which it was.
    fold_one_hot : bool
        Read columns of zeros and ones that stand for the levels of one feature, by their names and values, as this
        feature: "region_north" and "region_south", of which no row has both. Rows stay as they are, and so does what a
        model gets. Tables without names, and those in parts, are read as they are.
    random_state : int, Generator or None
        Decides which rows are held out; the same seed gives the same result, None another one each time.
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
    >>> predictions = X[:, 0] * X[:, 1] + np.sin(X[:, 1])
    >>> fanova = FunctionalANOVA(random_state=0).fit(X, predictions)
    >>> fanova.decomposition_.terms
    ((0,), (1,), (0, 1))
    >>> bool(fanova.score(X, predictions) > 0.99)
    True
    """

    def __init__(
        self,
        max_order: int = 2,
        *,
        family: Literal["auto", "waves", "polynomials"] = "auto",
        fold_one_hot: bool = True,
        random_state: Any = 0,
        progress: bool = True,
    ) -> None:
        self.max_order = max_order
        self.family = family
        self.fold_one_hot = fold_one_hot
        self.random_state = random_state
        self.progress = progress

    def _decompose(
        self,
        sample: Sample | ChunkedSample,
        predictions: Predictions,
        units: GivenUnits | None,
        weights: RowWeights | None = None,
        questions: Questions | None = None,
    ) -> Decomposition:
        rows = ArrayRows(sample.values, predictions.values, weights) if isinstance(sample, Sample) else sample.rows
        table = TableFacts(sample.features, predictions, self.settings(), draw_seed(self.random_state))
        return decompose_rows(rows, table, units, questions)

    def _fit_parts(self, parts: TableParts, y: Any, sample_weight: Any, groups: Any, time: Any) -> Self:
        others = [name for name in (groups, time) if name is not None]
        rows = PartRows.in_columns(parts, y, others, sample_weight)
        found = fit_parts(rows, self.settings(), groups, time)
        self._remember_names(found.named, found.decomposition.feature_names)
        self.decomposition_ = found.decomposition
        return self

    def fit_chunks(self, chunks: Chunks, sample_weight: Any = None, groups: Any = None, time: Any = None) -> Self:
        """Decompose rows that come in chunks, with the same result as from one table.

        Memory holds one chunk, a sample of rows that chooses what is fitted, the sums, and weights where there are any.
        After three passes two bytes of each value are kept in a temporary file.

        Parameters
        ----------
        chunks : callable
            Returns an iterable over all chunks, each a table and its predictions, and perhaps its weights. It is called
            for every pass over the chunks: three times, or twice if rows are few.
        sample_weight, groups, time : array-like of shape (n_rows,), optional
            For the rows of all chunks, as for `fit`.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(6000, 2))
        >>> pieces = [(X[start : start + 1000], X[start : start + 1000, 0]) for start in range(0, 6000, 1000)]
        >>> FunctionalANOVA(max_order=1, random_state=0).fit_chunks(lambda: pieces).decomposition_.terms
        ((0,), (1,))
        """
        sample = read_chunks(chunks, sample_weight)
        self._remember_names(sample.named, [feature.name for feature in sample.features])
        self.decomposition_ = self._decompose(sample, sample.predictions, sample.units(groups, time))
        return self

    @classmethod
    def published(
        cls,
        K: int = 2,
        d: int = 10,
        d_density: int = 4,
        density_clip: float = 0.01,
        scaling: ScalingName = "tanh",
        *,
        standardise: bool = False,
        max_steps: int | None = None,
    ) -> "PublishedANOVA":
        """Return the estimator of the paper, with the paper's arguments; `PublishedANOVA` says what they mean."""
        densities: dict[str, Any] = {"d_density": d_density, "density_clip": density_clip, "scaling": scaling}
        return PublishedANOVA(K=K, d=d, **densities, standardise=standardise, max_steps=max_steps)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class PublishedANOVA(AnovaRegressor):
    """The estimator of the paper, with the paper's arguments; made by `FunctionalANOVA.published`.

    It is defined for complete numeric columns and keeps a dense matrix of all columns.

    Parameters
    ----------
    K : int
        Highest order of the terms.
    d : int
        Highest degree of the basis in each direction.
    d_density : int
        Highest degree of the projection densities in each direction.
    density_clip : float
        Floor of the densities.
    scaling : {"tanh", None}
        Standardize features, then tanh; None where X already lives in [-1, 1]^p.
    standardise : bool
        Give the columns of the design unit variance before some are selected. The paper selects among the columns as
        they are, where those of rare regions are large and come first.
    max_steps : int or None
        Steps of the Lasso path at most. By default it runs until BIC has clearly risen again, for up to 4,000 steps;
        500 is where scikit-learn's `LassoLarsIC` stops, also where BIC is still falling.

    Attributes
    ----------
    decomposition_ : Decomposition
    selected_ : list of arrays of int
        For each output the columns of the design that BIC kept.
    n_columns_ : int
        Columns of the design, N(p, K, d).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(500, 2))
    >>> fanova = PublishedANOVA(K=2, d=3, scaling=None).fit(X, X[:, 0] + X[:, 0] * X[:, 1])
    >>> fanova.decomposition_.terms
    ((0,), (1,), (0, 1))
    >>> bool(fanova.score(X, X[:, 0] + X[:, 0] * X[:, 1]) > 0.98)
    True
    """

    def __init__(
        self,
        *,
        K: int = 2,
        d: int = 10,
        d_density: int = 4,
        density_clip: float = 0.01,
        scaling: ScalingName = "tanh",
        standardise: bool = False,
        max_steps: int | None = None,
    ) -> None:
        self.K = K
        self.d = d
        self.d_density = d_density
        self.density_clip = density_clip
        self.scaling = scaling
        self.standardise = standardise
        self.max_steps = max_steps

    def _decompose(
        self,
        sample: Sample,
        predictions: Predictions,
        units: GivenUnits | None,
        weights: RowWeights | None,
        questions: Questions | None,  # noqa: ARG002 the published method has no use for other rows
    ) -> Decomposition:
        if units is not None:
            raise InputError(
                "The published method holds out no rows, so groups and time have no meaning here. Leave them out."
            )
        if weights is not None and weights.values is not None:
            raise InputError(
                "The published method is defined for rows that count the same, and sample_weight holds different "
                "weights. Leave sample_weight out, or use FunctionalANOVA()."
            )
        found, self.selected_, self.n_columns_ = decompose_as_published(sample, predictions, self.settings())
        return found


def read_weighted(
    table: Any, sample_weight: Any, *, fold_one_hot: bool = False, **others: Any
) -> tuple[Sample, RowWeights | None, list[Any]]:
    """Read a table without the rows that count nothing, and leave them out of others, by name, that go with it."""
    if sample_weight is None:
        return read_sample(table, fold_one_hot=fold_one_hot), None, list(others.values())
    n_rows = open_table(table).shape[0]
    weights = read_weights(sample_weight, n_rows)
    at = None if weights is None else weights.positions
    sample = read_sample(kept("X", table, at, n_rows), fold_one_hot=fold_one_hot)
    return sample, weights, [kept(name, each, at, n_rows) for name, each in others.items()]
