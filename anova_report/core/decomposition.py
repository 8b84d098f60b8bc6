"""The result: an immutable set of component functions with the moments that measures are made from."""

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from anova_report.core import files, storage, terms
from anova_report.core.arrays import Floats, read_only
from anova_report.core.display import Overview, Shown
from anova_report.core.expansion import Expansion
from anova_report.core.fingerprint import Fingerprint
from anova_report.core.fit.dependence import Dependence
from anova_report.core.fit.joint_support import JointSupport
from anova_report.core.fit.moments import Moments
from anova_report.core.fit.partition import Partition
from anova_report.core.fit.uncertainty import Uncertainty
from anova_report.core.input.features import Feature
from anova_report.core.input.parts import is_dask, over_partitions
from anova_report.core.input.table import (
    LeftOut,
    encode_rows,
    left_out_words,
    positions_in_table,
    require_complete_numbers,
)
from anova_report.core.storage import FitPath
from anova_report.core.terms import Term
from anova_report.errors import InputError, UnknownTermError, listing

OVERVIEW = "anova_report.measures.overview"  # a room above this one


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(Shown):
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
        What each replicate contributed, where the estimator keeps track of it.
    dependence : Dependence or None
        How far main effects can be told apart, where the estimator measures it.
    beyond : tuple of (Term, float)
        Interactions of the next order that the gap calls for, and the share of the variance each promises to explain;
        looked for only where much is left unexplained.
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
        How the fit was made: by a penalised fit, or by solving the table of all combinations of the features' values,
        exactly; where several decompositions of that table are exact, the one of least Σ E[ν_S²] was taken. None where
        the estimator has no choice.
    left_out : tuple of LeftOut
        Columns of the table about which its rows tell nothing. New rows may hold them, and they are not read.
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

    def __post_init__(self) -> None:
        read_only(self.correlations)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the inputs, in column order."""
        return tuple(feature.name for feature in self.features)

    @property
    def columns(self) -> list[int]:
        """Where the inputs are among the columns of the table that was fitted."""
        return positions_in_table(len(self.features), self.left_out)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what a reader must know about the table and the predictions: what was left out, as a rule."""
        return left_out_words(self.left_out)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Index tuples of the components, sorted by order, then by index; the mean is not listed."""
        return tuple(component.term for component in self.expansion.components)

    @property
    def mean(self) -> Any:
        """The constant ν_∅: a float, or an array with one value per output."""
        return float(self.expansion.mean[0]) if self.single_output else self.expansion.mean.copy()

    def label(self, term: object) -> str:
        """Write a term with the names of its features, "MedInc × Latitude"."""
        return terms.label(self.resolve(term), self.feature_names)

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
        return self._evaluate(X, lambda values: self.expansion.evaluate(values, [found])[:, 0])

    def predict(self, X: Any) -> Floats:
        """Sum the mean and all components: the explained value."""
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
        found: Overview = importlib.import_module(OVERVIEW).overview(self)
        return found

    def _evaluate(self, X: Any, function: Callable[[Floats], Floats], *width: int) -> Floats:
        """Evaluate something on the rows of a table; of a Dask collection, where these lie, when it is computed."""
        if not is_dask(X):
            return self._squeeze(function(self.encode(X)))
        shape = width if self.single_output else (*width, len(self.output_names))
        lazy: Any = over_partitions(X, lambda rows: self._squeeze(function(self.encode(rows))), shape)
        return cast(Floats, lazy)

    def _squeeze(self, array: Floats) -> Floats:
        return array[..., 0] if self.single_output else array
