"""`explain`: ask a model about a table, decompose its predictions, and keep what views need of them."""

import time as time_of
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats, read_only
from anova_report.core.estimator import AnovaRegressor, FunctionalANOVA, read_weighted
from anova_report.core.fit.asking import Questions, how_many
from anova_report.core.fit.populations import read_population
from anova_report.core.input.black_box import ask as ask_model
from anova_report.core.input.black_box import ask_where_possible
from anova_report.core.input.exposure import at_unit_exposure, exposure_words, split_exposure
from anova_report.core.input.feature_groups import read_groups
from anova_report.core.input.model_forms import about, has_log_link
from anova_report.core.input.predictions import Predictions
from anova_report.core.input.recombination import Recombination
from anova_report.core.input.scales import Scale, asked_again
from anova_report.core.input.table import column_names, columns_of, open_table
from anova_report.core.input.units import read_units
from anova_report.core.input.weights import RowWeights, kept
from anova_report.core.large.part_rows import PartRows
from anova_report.core.large.parts import TableParts, open_parts, parts_exposure
from anova_report.core.large.parts_fit import fit_asked
from anova_report.core.result.cohorts import cohort_of, cohort_rows
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.labels import require_texts
from anova_report.errors import InputError, InputTypeError

METHODS = ("predict", "predict_proba", "decision_function")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Explanation(Decomposition):
    """A decomposition together with the rows, the predictions and the model it was made from.

    Views need nothing else: `Explorer(dec)`, `build_audit(dec)`. `save` writes the decomposition alone.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
        The rows that count, as they were given; a table is not copied.
    predictions : array of shape (n_rows,) or (n_rows, n_outputs)
        On the scale that was decomposed.
    model : object
        The black box itself.
    output : object
        Which of its classes or columns was asked for; None for the second of two classes, or all.
    scale_note : str
        Why this scale, where it was not asked for.
    """

    X: Any
    predictions: Floats
    model: Any
    output: Any = None
    scale_note: str = ""
    n_sure: int = 0  # rows with a probability of exactly 0 or 1, where these decided about the scale
    rows_note: str = ""  # which rows these are, where not all are kept
    whole: Decomposition | None = None  # under all rows, where this is a cohort

    def ask(self, X: Any) -> Floats:
        """Ask the model about other rows, in the form of X and on the scale that was decomposed."""
        found = ask_model(self.model, open_table(X), scale=asked_again(self.scale), output=self.output, progress=False)
        return _array(found)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on the columns that were left out, on the scale, and on rows that were drawn."""
        return (*super().notes, *filter(None, [self.scale_note, self.rows_note]))


def rows_and_predictions(dec: Decomposition, X: Any = None, predictions: Any = None) -> tuple[Any, Any]:
    """Find the rows that a view shows, and their predictions where they are known.

    Rows that are given win over those an explanation holds; for other rows than its own the model is asked, unless
    their predictions are given, too.

    Raises
    ------
    InputError
        If there are no rows: a decomposition holds none.
    """
    if not isinstance(dec, Explanation):
        if X is None:
            raise InputError(
                "A decomposition holds no rows. Pass the rows to show, and their predictions: dec, X, predictions=…."
            )
        return X, predictions
    if X is None:
        X = dec.X
    if predictions is None:
        predictions = dec.predictions if X is dec.X else dec.ask(X)
    return X, predictions


def explain(  # noqa: PLR0913 all but two by name
    model: Any,
    X: Any,
    *,
    scale: Scale = "auto",
    output: Any = None,
    estimator: AnovaRegressor | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    ask: int | None = None,
    batch_size: int = 8192,
    progress: bool = True,
    population: Any = None,
    where: str | None = None,
    feature_groups: Mapping[str, Sequence[int | str]] | None = None,
    exposure: Any = None,
    labels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    prediction_name: str | None = None,
    prediction_unit: str | None = None,
    **settings: Any,
) -> Explanation:
    """Ask a model about every row of a table, and decompose its predictions.

    The model is also asked at recombined rows: some columns of a row with others of another row. Rows alone cannot tell
    apart the effects of inputs that go together; the model can. What is reported still refers to the rows of the table.

    Parameters
    ----------
    model : callable or object with predict, predict_proba or decision_function
        Gets rows in the form of X: a pipeline trained on a frame gets a frame. Boosters of XGBoost and LightGBM and
        PyTorch modules are asked in their own way.
    X : table of shape (n_rows, n_features)
        The model gets all columns; those about which these rows tell nothing are left out of the decomposition, which
        `notes` says. It may be a table in parts, as for `FunctionalANOVA.fit`: then the model is asked part by part, on
        the workers if there is a Dask client, and gets the columns that it names, or all.
    scale : {"auto", "identity", "log", "logit", "probability"}
        Of models with classes: log-odds where they exist and probabilities otherwise, or always one of the two. Of
        other models: the logarithm of positive predictions ("log"), whose effects read as factors, or predictions as
        they are ("identity"). By default the logarithm for models that are known to multiply effects, those for counts
        and amounts with a logarithmic link. What `predict` and `components` return is on this scale.
    output : object, optional
        One class, by its label, or one column of the predictions, by its position. By default the second of two
        classes, or all.
    estimator : AnovaRegressor, optional
        `FunctionalANOVA(**settings)` by default.
    sample_weight : array-like of shape (n_rows,), optional
        How much each row counts, as for `FunctionalANOVA.fit`. The model is not asked about rows that do not count.
    groups, time : array-like of shape (n_rows,), optional
        Which rows are learned from or held out together, as for `FunctionalANOVA.fit`. For a table in parts, pass
        the names of its columns, for weights too; the model does not get these columns.
    ask : int, optional
        At how many recombined rows the model may be asked; by default so many that they and the rows are about 20,000,
        fewer for a slow model. A column that seems to be unread takes up to 1,000 more. 0 asks about the rows of the
        table only: for a model that costs money or writes something whenever it is asked, or means nothing off the
        data.
    batch_size : int
        Rows per call of the model.
    progress : bool
        Show bars once the model, or the fit, has taken two seconds.
    population : table of shape (n_population, n_features) or array-like of shape (n_rows,), optional
        Rows of the law under which the function is decomposed, about which the model is not asked, or other weights of
        the rows of X: see `Decomposition.under`.
    where : str, optional
        Explain only the rows of X that fulfill an expression, "age > 60 and region == 'south'", under their own
        distribution. The fit is that of all rows, of which `whole` keeps the decomposition.
    feature_groups : mapping of str to sequence of str, optional
        Groups of features that are recombined together when the model is asked, and that measures and pages read
        together: ``{"location": ["Latitude", "Longitude"]}``; see `Decomposition.grouped`.
    exposure : str or array-like of shape (n_rows,), optional
        Over how much time, area or value each row was observed, above zero: a column of X, which is then no feature, or
        numbers. The rate is explained, on the logarithmic scale by default: a model that takes the column is asked at
        an exposure of 1 in every row, which for an offset is its prediction over the exposure. Rows are weighted by
        their exposure.
    labels, units, prediction_name, prediction_unit
        What readers see: see `Decomposition.labelled`.
    **settings
        Settings of `FunctionalANOVA`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> dec = explain(lambda rows: 2 * rows[:, 0] + rows[:, 1], X, max_order=1)
    >>> dec.terms, dec.predictions.shape
    (((0,), (1,)), (500,))
    """
    _check_order(model, X)
    law, parts = read_population(population, X), open_parts(X)
    if where is not None and law is not None:
        raise InputError("population and where both say under which rows to decompose. Pass one of the two.")
    columns = column_names(open_table(X)) if parts is None else parts.names or ()
    for what, texts in (("labels", labels), ("units", units)):
        require_texts(what, texts, columns)
    asked, note = model, "" if exposure is None else exposure_words(exposure)
    if exposure is not None:
        asked, X, sample_weight = _as_rates(model, X, parts, exposure, sample_weight)
        scale, prediction_name = "log" if scale == "auto" else scale, prediction_name or "rate"
    of = {"prediction_name": prediction_name, "prediction_unit": prediction_unit}
    if estimator is None:
        estimator = FunctionalANOVA(progress=progress, **settings)
    if parts is not None:
        beside = {"sample_weight": sample_weight, "groups": groups, "time": time}
        how = {"scale": scale, "output": output, "batch_size": batch_size}
        whole = _explain_parts(asked, parts, estimator, beside, how, ask).grouped(feature_groups)
        whole = replace(whole.labelled(labels, units, **of), scale_note=_joined(whole.scale_note, note))
        whole = whole if law is None else whole.under(*law)
        return whole if where is None else _cohort(whole, where, cohort_rows(where, whole.X), None)
    sample, weights, (X, groups, time) = read_weighted(
        X, sample_weight, fold_one_hot=estimator.folds, X=X, groups=groups, time=time
    )
    held_out = read_units(groups, time, len(sample.values), weights)
    left_out = [column.name for column in sample.left_out]
    together = read_groups(feature_groups, sample.features, left_out)
    chosen = None if where is None else cohort_rows(where, X)  # before the model is asked
    known: dict[str, Any] = {"output": output, "batch_size": batch_size, "progress": progress}
    started = time_of.perf_counter()
    predictions = ask_model(asked, open_table(X), scale=scale, **known)
    seconds = time_of.perf_counter() - started
    varies = bool(np.ptp(predictions.values, axis=0).any())
    n_asked = how_many(ask, len(sample.values), seconds) if varies else 0
    places = columns_of(open_table(X), sample.features, sample.left_out)

    def ask_at(plan: Recombination) -> tuple[Floats, NDArray[np.bool_]]:
        rows = open_table(plan.table(X, places))
        return ask_where_possible(asked, rows, scale=predictions.scale, **known)

    questions = Questions(ask_at, n_asked, together=tuple(together.values())) if n_asked else None
    dec = estimator.fit_sample(sample, predictions, held_out, weights, questions).decomposition_
    explained = Explanation(
        **_with_model(replace(dec, feature_groups=together), model),
        X=X,
        predictions=_array(predictions),
        model=asked,
        output=output,
        scale_note=_joined(predictions.note, note),
        n_sure=predictions.n_sure,
    ).labelled(labels, units, **of)
    if where is not None and chosen is not None:
        return _cohort(explained, where, chosen, weights)
    return explained if law is None else explained.under(*law)


def _cohort(dec: Explanation, where: str, rows: NDArray[np.intp], weights: RowWeights | None) -> Explanation:
    """Explain some rows under their own law."""
    X, predictions, n_all = kept("X", dec.X, rows, len(dec.predictions)), dec.predictions[rows], len(dec.predictions)
    counts = None if weights is None or weights.values is None else weights.values[rows]
    under = cohort_of(dec, X, predictions, where, n_all, counts)
    read_only(predictions)
    return replace(cast(Explanation, under), X=X, predictions=predictions, whole=dec)


def _explain_parts(
    model: Any,
    parts: TableParts,
    estimator: AnovaRegressor,
    columns: Mapping[str, Any],
    asked: Mapping[str, Any],
    ask: int | None,
) -> Explanation:
    """Ask a model part by part; of its rows a sample is kept."""
    if not isinstance(estimator, FunctionalANOVA):
        raise InputError(
            f"{type(estimator).__name__} keeps a matrix of all rows, so it cannot read a table in parts. Pass a table "
            "in memory, or leave estimator out."
        )
    weight, groups, time = columns.values()
    others = [name for name in (groups, time) if name is not None]

    def rows(scale: Scale) -> PartRows:
        return PartRows.of_model(parts, model, others, weight, **{**asked, "scale": scale})

    found, note = fit_asked(
        rows, asked["scale"], estimator.settings(), groups, time, ask, multiplies=has_log_link(model)
    )
    return Explanation(
        **_with_model(found.decomposition, model),
        X=found.X,
        predictions=_array(replace(found.about, values=found.predictions)),
        model=model,
        output=asked["output"],
        scale_note=note,
        rows_note=found.note,
    )


def _as_rates(model: Any, X: Any, parts: TableParts | None, exposure: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Ask a model for rates: returned are the model as it is asked, the table without exposure, and its weights."""
    if sample_weight is not None:
        raise InputError("Rows are weighted by their exposure or by sample_weight; got both. Pass one of the two.")
    if parts is None:
        return split_exposure(model, X, exposure)
    if not isinstance(exposure, str):
        raise InputTypeError("Of a table in parts the exposure is named as a column of it. Pass its name.")
    parts_exposure(parts, exposure)
    return at_unit_exposure(model, exposure, parts.names or ()), X, exposure


def _joined(*notes: str) -> str:
    return " ".join(filter(None, notes))


def _with_model(dec: Decomposition, model: Any) -> dict[str, Any]:
    own = {field.name: getattr(dec, field.name) for field in fields(dec)}
    return own | {"settings": {**dec.settings, "model": about(model)}}


def _array(predictions: Predictions) -> Floats:
    values = predictions.values[:, 0] if predictions.single else predictions.values
    read_only(values)
    return values


def _check_order(model: Any, X: Any) -> None:
    """Refuse a model and a table that have changed places."""
    asked, given = (callable(each) or any(hasattr(each, name) for name in METHODS) for each in (model, X))
    if given and not asked:
        raise InputTypeError(
            f"The model comes first, then the table: explain(model, X). Got a {type(model).__name__} as the model and "
            f"a {type(X).__name__} as X."
        )
