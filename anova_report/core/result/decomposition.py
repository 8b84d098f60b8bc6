"""The result: an immutable set of component functions with the moments that measures are made from."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, read_only
from anova_report.core.diagnostics.concurvity import Dependence
from anova_report.core.diagnostics.joint_support import JointSupport
from anova_report.core.export.methods import Exported
from anova_report.core.fit.asking import Asking
from anova_report.core.fit.moments import Moments
from anova_report.core.fit.partition import Partition
from anova_report.core.fit.uncertainty import Uncertainty
from anova_report.core.input.feature_groups import read_groups
from anova_report.core.input.features import Feature
from anova_report.core.input.fingerprint import Fingerprint
from anova_report.core.input.one_hot import folded_words
from anova_report.core.input.table import (
    LeftOut,
    encode_rows,
    left_out_words,
    positions_in_table,
    require_complete_numbers,
)
from anova_report.core.large.parts import is_dask, over_partitions
from anova_report.core.result import storage, terms
from anova_report.core.result.asked import asked_notes
from anova_report.core.result.display import Overview, Shown, rooms_above
from anova_report.core.result.expansion import Expansion
from anova_report.core.result.labels import labelled_features
from anova_report.core.result.outside import warn_outside
from anova_report.core.result.population import Population
from anova_report.core.result.row_residuals import RowResiduals
from anova_report.core.result.storage import FitPath
from anova_report.core.result.terms import Term
from anova_report.errors import InputError, UnknownTermError, listing
from anova_report.io import files


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(Exported, Shown):
    """Main effects and interactions of a black box, as functions that can be evaluated on any rows.

    Made by `FunctionalANOVA.fit` and by `explain`; measures, figures and reports are made from it.

    Parameters
    ----------
    features : tuple of Feature
        Name, kind and levels of each input.
    output_names : tuple of str
    expansion : Expansion
        The functions.
    in_sample : Moments
        Moments on the rows of the fit.
    held_out : Moments or None
        Moments on rows that no step of the fit has seen, where the estimator keeps such rows.
    uncertainty : Uncertainty or None
        What each jackknife group contributed, where the estimator keeps track of it.
    dependence : Dependence or None
        How far main effects are estimable one by one (concurvity), where the estimator measures it.
    beyond : tuple of (Term, float)
        Interactions of the next order, and the share of the variance each is expected to explain, if much is left.
    single_output : bool
        Whether arrays leave out the axis of outputs.
    scale : str
        What one unit of a prediction means: "identity", "logit", "probability" or "margin".
    settings : mapping
        Estimator and settings that made it, as JSON types.
    partition : Partition or None
        Which rows were held out together, where that is known.
    joint_support : JointSupport or None
        Which values of two features the rows of the fit do not combine, where the estimator keeps track of it.
    fingerprint : Fingerprint or None
        What the rows and predictions of the fit are known again by.
    correlations : array of shape (n_features, n_features) or None
        Correlations of the ranks of ordered features in the rows of the fit, where the estimator keeps them.
    path : {"penalised", "exact cells", "exact cells, least of several"} or None
        By a penalized fit, or by solving the table of all combinations of values exactly; where several decompositions
        of it are exact, that of least Σ E[ν_S²]. None where the estimator has no choice.
    left_out : tuple of LeftOut
        Columns of the table about which its rows tell nothing. New rows may hold them, and they are not read.
    asking : Asking or None
        How often the model was asked at recombined rows, and what that showed, where it could be asked.
    population : Population or None
        The rows whose law components refer to, and moments are averages over, where `under` made it; None where these
        are the rows of the fit. Numbers of rows and R² are always those of the rows with predictions.
    prediction_name, prediction_unit : str
        How readers see the predictions, where `labelled` gave a name or a unit.
    feature_groups : mapping of str to tuple of int
        Groups of features that are read together, by their names; `grouped` changes them.
    row_residuals : RowResiduals or None
        Residuals of held-out rows, where the estimator keeps such rows; None where it was loaded from a file.
    """

    features: tuple[Feature, ...]
    output_names: tuple[str, ...]
    expansion: Expansion
    in_sample: Moments
    held_out: Moments | None = None
    uncertainty: Uncertainty | None = None
    dependence: Dependence | None = None
    beyond: tuple[tuple[Term, float], ...] = ()
    single_output: bool = True
    scale: str = "identity"
    settings: Mapping[str, Any] = field(default_factory=dict)
    partition: Partition | None = None
    joint_support: JointSupport | None = None
    fingerprint: Fingerprint | None = None
    correlations: Floats | None = None
    path: FitPath | None = None
    left_out: tuple[LeftOut, ...] = ()
    asking: Asking | None = None
    population: Population | None = None
    prediction_name: str = ""
    prediction_unit: str = ""
    feature_groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    row_residuals: RowResiduals | None = None

    def __post_init__(self) -> None:
        read_only(self.correlations)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the inputs, in column order."""
        return tuple(feature.name for feature in self.features)

    @property
    def feature_titles(self) -> tuple[str, ...]:
        """What readers see for the names of the inputs, in column order: labels where `labelled` gave any."""
        return tuple(feature.title for feature in self.features)

    @property
    def columns(self) -> list[int]:
        """Where the inputs are among the columns of the table that was fitted."""
        return positions_in_table(len(self.features), self.left_out)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what a reader must know about table and predictions: what was left out, or is not read."""
        asked = asked_notes(self.asking, self.feature_titles, self.in_sample.n_rows)
        under = () if self.population is None else (self.population.words(self.in_sample.n_rows),)
        return (*left_out_words(self.left_out), *folded_words(self.features), *asked, *under)

    @property
    def law_rows(self) -> float:
        """How many independent rows of equal weight tell the law that components refer to."""
        return self.in_sample.effective_rows if self.population is None else self.population.n_effective

    @property
    def terms(self) -> tuple[Term, ...]:
        """Index tuples of the components, sorted by order, then by index; the mean is not listed."""
        return tuple(component.term for component in self.expansion.components)

    @property
    def mean(self) -> Any:
        """The constant ν_∅: a float, or an array with one value per output."""
        return float(self.expansion.mean[0]) if self.single_output else self.expansion.mean.copy()

    def label(self, term: object) -> str:
        """Write a term as readers see it, "MedInc × Latitude", with the labels of its features where they have any."""
        return terms.label(self.resolve(term), self.feature_titles)

    def resolve(self, term: object) -> Term:
        """Find a term given by indices or names, alone or several, in any order.

        Raises
        ------
        UnknownTermError
            If the decomposition holds no such component.
        """
        parts = term if isinstance(term, tuple | list) else (term,)
        found = tuple(sorted(self.feature_index(part) for part in parts))
        if found not in self.expansion.position:
            known = [terms.label(known, self.feature_names) for known in self.terms]
            raise UnknownTermError(f"There is no component {term!r}. There are: {listing(known, limit=12)}.")
        return found

    def components(self, X: Any) -> Floats:
        """Evaluate every component.

        Returns
        -------
        array of shape (n_rows, n_terms) or (n_rows, n_terms, n_outputs)
            Columns in the order of `terms`; with the mean they sum to `predict`. Of a Dask frame or array this, and
            what the other functions of rows return, is a Dask array.
        """
        return self._evaluate(X, self.expansion.evaluate, len(self.terms))

    def component(self, term: object, X: Any) -> Floats:
        """Evaluate one component, given by indices or names, shape (n_rows,) or (n_rows, n_outputs)."""
        found = self.resolve(term)
        return self._evaluate(X, lambda values: self.expansion.evaluate(values, [found])[:, 0], read=found)

    def predict(self, X: Any) -> Floats:
        """Sum the mean and all components: the explained value.

        Where rows lie beyond what the fit has seen, this and the other functions of rows give an `ExtrapolationWarning`
        with their number, once a call; of a Dask frame or array, which is read later, none.
        """
        return self._evaluate(X, self.expansion.predict)

    def shapley(self, X: Any) -> Floats:
        """Share every component equally among its features (ANOVA-Shapley values).

        Returns
        -------
        array of shape (n_rows, n_features) or (n_rows, n_features, n_outputs)
            ``φ_i(x) = Σ_{S ∋ i} ν_S(x) / |S|``; each row sums to `predict` minus the mean.
        """

        def share(values: Floats) -> Floats:
            return np.asarray(np.einsum("nto,tf->nfo", self.expansion.evaluate(values), self.membership))

        return self._evaluate(X, share, len(self.features))

    def under(self, rows: Any, sample_weight: Any = None) -> Self:
        """Decompose the same function under the law of other rows, without asking the model again.

        `predict` returns what it did; what belongs to which term changes: under these rows every interaction is
        regressed on functions of its subterms, the highest order first, and what is found beyond noise moves there.
        Bands and intervals count what the rows of the fit leave open and what these rows do.

        Shares are those of the explained variance under these rows, times the share that was explained in the rows of
        the fit. The unexplained share, R², `partition`, `joint_support` and `fingerprint` stay those of the fit, since
        nobody knows predictions of these rows.

        Parameters
        ----------
        rows : table of shape (n_rows, n_features)
            In memory, with the columns of the fit. Rows with levels that the fit has not seen are left out;
            `population` counts them, and those with numbers beyond its range, where its functions are continued.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Raises
        ------
        InputError
            If no row is left, or the decomposition was made by the published method.

        Examples
        --------
        >>> from anova_report import FunctionalANOVA
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 2))
        >>> dec = FunctionalANOVA(random_state=0).fit(X, 1 + X[:, 0] * X[:, 1]).decomposition_
        >>> dependent = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=5000)
        >>> round(dec.mean, 1), round(dec.under(dependent).mean, 1)  # 1 + E[X0 X1]
        (1.0, 1.8)
        """
        from anova_report.core.fit.populations import decompose_under  # noqa: PLC0415 which needs this module first

        return cast(Self, decompose_under(self, rows, sample_weight))

    def labelled(
        self,
        labels: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
        *,
        prediction_name: str | None = None,
        prediction_unit: str | None = None,
    ) -> Self:
        """Give features and predictions labels and units, which pages show; columns stay known by their names.

        Parameters
        ----------
        labels, units : mapping of str to str, optional
            By the names of columns: what readers see for the name, and what its numbers count.
        prediction_name, prediction_unit : str, optional
            What the model predicts, such as "house value", and what its numbers count.

        Raises
        ------
        InputError
            If there is no such column, or two would be shown alike.

        Examples
        --------
        >>> from anova_report import explain
        >>> X = np.random.default_rng(0).uniform(size=(200, 2))
        >>> dec = explain(lambda rows: rows.sum(axis=1), X).labelled({"x0": "Median income"})
        >>> dec.label("x0"), dec.feature_names
        ('Median income', ('x0', 'x1'))
        """
        others = [column.name for column in self.left_out]
        return replace(
            self,
            features=labelled_features(self.features, labels, units, others),
            prediction_name=self.prediction_name if prediction_name is None else prediction_name.strip(),
            prediction_unit=self.prediction_unit if prediction_unit is None else prediction_unit.strip(),
        )

    def grouped(self, groups: Mapping[str, Sequence[int | str]] | None) -> Self:
        """Name groups of features that measures, figures and pages read together.

        Parameters
        ----------
        groups : mapping of str to sequence of str or int
            Two or more features each, by name or position; no feature is in two groups. None takes all groups back.

        Examples
        --------
        >>> from anova_report import FunctionalANOVA
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> dec = FunctionalANOVA(max_order=1).fit(X, X.sum(axis=1)).decomposition_
        >>> dec.grouped({"place": ["x0", "x2"]}).feature_groups
        {'place': (0, 2)}
        """
        left_out = [column.name for column in self.left_out]
        return replace(self, feature_groups=read_groups(groups, self.features, left_out))

    def outside(self, X: Any) -> NDArray[np.bool_]:
        """Tell which rows lie beyond what the fit has seen, feature by feature.

        Returns
        -------
        array of bool of shape (n_rows, n_features)
            Outside the range of a number, of a level that no row of the fit had, or missing where none was missing.
            The published method keeps no ranges: there it is false everywhere.

        Examples
        --------
        >>> import numpy as np
        >>> from anova_report import explain
        >>> dec = explain(lambda rows: rows.sum(axis=1), np.random.default_rng(0).uniform(size=(200, 2)))
        >>> dec.outside([[0.5, 0.5], [0.5, 3.0]]).tolist()
        [[False, False], [False, True]]
        """
        if not is_dask(X):
            return self.expansion.reference.outside(self.encode(X))
        lazy: Any = over_partitions(X, self.outside, (len(self.features),))
        return cast(NDArray[np.bool_], lazy.astype(bool))

    @property
    def membership(self) -> Floats:
        """How much of each term counts for each feature, shape (n_terms, n_features): ``1/|S|`` or 0."""
        weights = np.zeros((len(self.terms), len(self.features)))
        for row, term in enumerate(self.terms):
            weights[row, list(term)] = 1 / len(term)
        return weights

    def encode(self, X: Any, reader: str = "Decomposition") -> Floats:
        """Write rows as the floats the components are functions of, shape (n_rows, n_features).

        `reader` names the caller in messages.
        """
        values = encode_rows(X, self.features, reader, self.left_out)
        if self.expansion.reference.complete_numbers_only:
            require_complete_numbers(values, self.features, "this decomposition")
        return values

    def feature_index(self, part: object) -> int:
        """Find a feature by name or position."""
        if isinstance(part, str) and part in self.feature_names:
            return self.feature_names.index(part)
        if isinstance(part, int | np.integer) and 0 <= part < len(self.features):
            return int(part)
        raise UnknownTermError(f"There is no feature {part!r}. There are: {listing(self.feature_names, limit=12)}.")

    def output_index(self, output: str | int | None = None) -> int:
        """Find an output by name or position; None is allowed where there is only one."""
        if output is None and len(self.output_names) == 1:
            return 0
        if isinstance(output, int | np.integer) and 0 <= output < len(self.output_names):
            return int(output)
        if output in self.output_names:
            return self.output_names.index(str(output))
        raise InputError(f"Choose one of the outputs {listing(self.output_names, limit=20)}; got {output!r}.")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the decomposition as versioned JSON; `load` restores it to the last bit."""
        files.write_text(path, storage.dumps(self))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Decomposition":
        """Read a decomposition that `save` wrote; nothing in the file is executed.

        Raises
        ------
        StorageError
            If the file is not such a decomposition, or was written by a newer version.
        """
        return Decomposition(**storage.decomposition_fields(storage.STAMP.body(path)))

    def overview(self) -> Overview:
        """Choose what is shown: what was explained, fidelity and verdict, and the largest terms."""
        return rooms_above.overview(self)

    def _evaluate(
        self, X: Any, function: Callable[[Floats], Floats], *width: int, read: Sequence[int] | None = None
    ) -> Floats:
        """Evaluate something on the rows of a table; of a Dask collection, where these lie, when it is computed.

        `read` are the features that count, by default all: of these, rows beyond the fit are warned of.
        """
        if not is_dask(X):
            values = self.encode(X)
            warn_outside(self.features, self.expansion.reference, values, read, stacklevel=3)
            return self._squeeze(function(values))
        shape = width if self.single_output else (*width, len(self.output_names))
        lazy: Any = over_partitions(X, lambda rows: self._squeeze(function(self.encode(rows))), shape)
        return cast(Floats, lazy)

    def _squeeze(self, array: Floats) -> Floats:
        return array[..., 0] if self.single_output else array
