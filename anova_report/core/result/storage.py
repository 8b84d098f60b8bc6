"""A decomposition as versioned JSON: numbers are written so that they read back to the last bit."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import ROUNDING, Floats
from anova_report.core.basis.marginals import Marginal, MarginalReference, NominalMarginal, NumericMarginal
from anova_report.core.basis.tally import MAX_NODES
from anova_report.core.diagnostics.concurvity import Dependence
from anova_report.core.diagnostics.functional_dependence import Relation
from anova_report.core.diagnostics.joint_support import CellAxis, JointSupport, UnseenCells
from anova_report.core.fit.asking import Asking
from anova_report.core.fit.moments import HardestRows, Moments, relations
from anova_report.core.fit.partition import Partition
from anova_report.core.fit.uncertainty import Uncertainty
from anova_report.core.input.features import EXACT, LARGEST, Feature
from anova_report.core.input.fingerprint import Fingerprint
from anova_report.core.input.table import LeftOut
from anova_report.core.published.densities import DensityReference, Scaling
from anova_report.core.result.expansion import Component, Expansion, Reference
from anova_report.core.result.population import Population
from anova_report.core.result.terms import Term, sort_terms
from anova_report.errors import StorageError
from anova_report.io import documents
from anova_report.io.documents import Stamp, plain, read

FitPath: TypeAlias = Literal["penalised", "exact cells", "exact cells, least of several"]

if TYPE_CHECKING:
    from anova_report.core.result.decomposition import Decomposition

CURE = "Pass a file that `anova-report audit --decomposition` or Decomposition.save wrote."
STAMP = Stamp("anova_report.decomposition", 1, "a decomposition", CURE)
AS_THEY_ARE = (  # fields that are written by their names
    *("scale", "single_output", "output_names", "features", "in_sample", "held_out", "dependence", "beyond"),
    *("partition", "joint_support", "fingerprint", "correlations", "path", "left_out", "asking"),
    *("prediction_name", "prediction_unit"),
)
CONTRIBUTIONS = ("structural", "total", "in_sample", "held_out")  # arrays of an `Uncertainty`

Document = dict[str, Any]


def dumps(dec: "Decomposition") -> str:
    """Write a decomposition as JSON; arrays become lists."""
    document = {
        "schema": STAMP.schema,
        "version": STAMP.version,
        "settings": dict(dec.settings),
        "mean": dec.expansion.mean,
        "components": plain(dec.expansion.components),
        "reference": _reference_document(dec.expansion.reference),
        "uncertainty": None if dec.uncertainty is None else _uncertainty_document(dec.uncertainty),
        **{name: plain(getattr(dec, name)) for name in AS_THEY_ARE},
    }
    if dec.population is not None:
        document["population"] = plain(dec.population)
    if dec.feature_groups:
        document["feature_groups"] = plain(dict(dec.feature_groups))
    return documents.dumps(document, default=_python_numbers)


def decomposition_fields(document: Document) -> dict[str, Any]:
    """Read back what `dumps` wrote, as the arguments of `Decomposition`; every part is checked against the others."""
    try:
        found = _fields(document)
        _probe(found["expansion"])
    except StorageError as error:
        raise StorageError(f"The saved decomposition is damaged: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise StorageError(f"The saved decomposition is damaged: {type(error).__name__} at {error}.") from error
    return found


def _fields(document: Document) -> dict[str, Any]:
    """Read every field; those that the first versions did not write may be missing."""
    features = read(document["features"], tuple[Feature, ...], "features")
    outputs = read(document["output_names"], tuple[str, ...], "output_names")
    single = read(document["single_output"], bool, "single_output")
    _require(bool(features) and len(outputs) >= 1 and (len(outputs) == 1 or not single), "features and output_names")
    reference = _reference(document["reference"], features)
    components = tuple(_component(item, len(features), len(outputs)) for item in document["components"])
    terms = tuple(component.term for component in components)
    _require(terms == sort_terms(set(terms)), "the order of the components")
    n_features, n_outputs = len(features), len(outputs)

    def optional(name: str, reader: Callable[..., Any], *known: Any) -> Any:
        return None if document.get(name) is None else reader(document[name], *known)

    return {
        "features": features,
        "output_names": outputs,
        "expansion": Expansion(reference, components, _array(document["mean"], n_outputs)),
        "in_sample": _moments(document["in_sample"], terms, n_outputs),
        "held_out": None if document["held_out"] is None else _moments(document["held_out"], terms, n_outputs),
        "uncertainty": optional("uncertainty", _uncertainty, reference, components, n_outputs),
        "dependence": optional("dependence", _dependence, n_features, n_outputs),
        "beyond": tuple((_term(term, n_features), read(share, float)) for term, share in document.get("beyond", ())),
        "single_output": single,
        "scale": read(document["scale"], str, "scale"),
        "settings": read(document["settings"], dict[str, Any], "settings"),
        "partition": optional("partition", read, Partition),
        "joint_support": optional("joint_support", _joint_support, reference),
        "fingerprint": optional("fingerprint", _fingerprint, n_outputs),
        "correlations": optional("correlations", _array, n_features, n_features),
        "left_out": read(document.get("left_out", []), tuple[LeftOut, ...], "left_out"),
        "asking": optional("asking", read, Asking),
        "population": optional("population", _population, document["uncertainty"], n_outputs),  # which must be there
        "prediction_name": read(document.get("prediction_name", ""), str, "prediction_name"),
        "prediction_unit": read(document.get("prediction_unit", ""), str, "prediction_unit"),
        "feature_groups": _groups(document.get("feature_groups", {}), n_features),
        "path": read(document.get("path"), FitPath | None, "path"),  # type: ignore[arg-type]  # a type all the same
    }


def _groups(item: Document, n_features: int) -> dict[str, tuple[int, ...]]:
    found = {read(name, str, "a group"): _term(members, n_features) for name, members in item.items()}
    members = [at for own in found.values() for at in own]
    _require(len(members) == len(set(members)), "feature_groups")
    return found


def _population(item: Document, uncertainty: Document | None, n_outputs: int) -> Population:
    found = read(item, Population)
    n_replicates = 0 if uncertainty is None else len(uncertainty["in_sample"])
    _require(0 < found.n_effective <= found.n_rows * (1 + ROUNDING), "population")
    _require(0 <= found.n_replicates <= n_replicates, "population")
    _require(len(found.fit_means) == len(found.fit_variances) == n_outputs, "population")
    return found


def _probe(expansion: Expansion) -> None:
    """Evaluate everything once: coefficients may fit to no function, or to numbers beyond all numbers."""
    n_features = len(expansion.reference.marginals if isinstance(expansion.reference, MarginalReference) else ())
    rows = np.zeros((1, n_features or 1 + max((max(c.term) for c in expansion.components), default=0)))
    with np.errstate(all="ignore"):
        found = expansion.predict(np.vstack([rows, rows + np.nan]) if n_features else rows)
    _require(bool(np.isfinite(found).all()), "the values of the components")


def _require(so: bool, what: str) -> None:
    if not so:
        raise StorageError(f"{what} cannot be right. Make it again from the data.")


def _python_numbers(value: object) -> Any:
    # Settings are kept as they were given, and K may be a numpy integer.
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} is of type {type(value).__name__}, which JSON cannot hold")


def _array(numbers: Any, *shape: int | None, power: int = 1) -> Floats:
    """Read numbers as an array of a shape; None stands for any length, `power` for that of predictions they may be."""
    found = np.array(numbers, dtype=np.float64)
    if not found.size:
        return found.reshape([length or 0 for length in shape])
    fits = found.ndim == len(shape) and all(m in (None, n) for m, n in zip(shape, found.shape, strict=True))
    # Parts of predictions may be larger than these, and cancel.
    _require(fits and bool((np.abs(found) <= (100 * LARGEST) ** power).all()), f"an array of shape {found.shape}")
    return found


def _positions(numbers: Any, below: float, *shape: int | None, least: int = 0) -> NDArray[np.intp]:
    """Read whole numbers below a limit as an array of a shape."""
    found = _array(numbers, *shape)
    places = found.astype(np.intp)
    _require(bool(((found == places) & (found >= least) & (found < below)).all()), "a position")
    return places


def _term(term: Any, n_features: int) -> Term:
    found = read(term, tuple[int, ...], "a term")
    _require(bool(found) and sorted(set(found)) == list(found) and 0 <= found[0] <= found[-1] < n_features, "a term")
    return found


def _component(item: Document, n_features: int, n_outputs: int) -> Component:
    term = _term(item["term"], n_features)
    degrees = _positions(item["degrees"], MAX_NODES, None, len(term))
    return Component(
        term, degrees, _array(item["coefficients"], len(degrees), n_outputs), _array(item["offset"], n_outputs)
    )


def _moments(item: Document, terms: Sequence[Term], n_outputs: int) -> Moments:
    n_columns, n_relations = len(terms) + 1, len(relations(terms))
    firsts = _array(item["firsts"], n_columns, n_outputs)
    seconds = _array(item["seconds"], n_columns, n_columns, n_outputs, power=2)
    fourths = _array(item["fourths"], n_relations, n_outputs, power=4)
    # The first versions wrote neither floors nor which rows decide.
    written = (item["leakages"], item.get("leakage_floors"))
    leaks = [None if values is None else _array(values, n_relations, n_outputs) for values in written]
    hardest = None if item.get("hardest") is None else _hardest(item["hardest"], n_outputs)
    residual, n_rows = _array(item["squared_gap"], n_outputs, power=2), read(item["n_rows"], int, "n_rows")
    effective = read(item.get("n_effective"), float | None, "n_effective")  # type: ignore[arg-type]  # a type all the same
    slack = ROUNDING * np.abs(seconds).max()
    variances = np.einsum("iio->io", seconds) - firsts**2
    symmetric = np.abs(seconds - seconds.transpose(1, 0, 2)).max() <= slack
    sensible = symmetric and variances.min() >= -slack and residual.min() >= 0 and fourths.min(initial=0.0) >= 0
    _require(
        bool(sensible) and n_rows > 0 and (effective is None or 0 < effective <= n_rows * (1 + ROUNDING)), "moments"
    )
    return Moments(n_rows, firsts, seconds, fourths, residual, leaks[0], leaks[1], hardest, effective)


def _hardest(item: Document, n_outputs: int) -> HardestRows:
    positions = _positions(item["positions"], EXACT, None, n_outputs).astype(np.int64)
    shares = _array(item["shares"], len(positions), n_outputs)
    deciding = item["prediction_rows"] if "prediction_rows" in item else item["answer_rows"]  # its former name
    residual_rows, prediction_rows = _array(item["gap_rows"], n_outputs), _array(deciding, n_outputs)
    _require(bool(min(residual_rows.min(), prediction_rows.min()) >= 1 - ROUNDING), "how many rows decide")
    # Earlier versions did not write it.
    heights = item.get("prediction_shares")
    known = None if heights is None else _array(heights, len(positions), n_outputs)
    return HardestRows(positions, shares, residual_rows, prediction_rows, known)


def _uncertainty_document(uncertainty: Uncertainty) -> Document:
    # Degrees are those of the components themselves, so only what differs is written.
    return {
        "coefficients": [[c.coefficients for c in one.components] for one in uncertainty.components],
        "offsets": [[c.offset for c in one.components] for one in uncertainty.components],
        "means": [one.mean for one in uncertainty.components],
        **{name: getattr(uncertainty, name) for name in CONTRIBUTIONS},
        "dealt": uncertainty.replicate_key,
        "lacking": True,
    }


def _uncertainty(item: Document, reference: Reference, components: Sequence[Component], n_outputs: int) -> Uncertainty:
    in_sample = _array(item["in_sample"], None, n_outputs)
    n_replicates = len(in_sample)
    _require(n_replicates > 1 and len(item["coefficients"]) == n_outputs, "uncertainty")
    expansions = []
    means = item.get("means") or [np.zeros(n_replicates)] * n_outputs  # earlier versions did not write them
    for coefficients, offsets, mean in zip(item["coefficients"], item["offsets"], means, strict=True):
        traced = tuple(
            Component(c.term, c.degrees, _array(values, len(c.degrees), n_replicates), _array(offset, n_replicates))
            for c, values, offset in zip(components, coefficients, offsets, strict=True)
        )
        expansions.append(Expansion(reference, traced, _array(mean, n_replicates)))
    both = (n_replicates, n_outputs)
    shapes = ((len(components), *both), (len(components), *both), both, both)
    contributions = {name: _array(item[name], *shape) for name, shape in zip(CONTRIBUTIONS, shapes, strict=True)}
    if not item.get("lacking"):  # contributions of the first versions added up to what chance made of them
        contributions = {name: own - own.mean(axis=-2, keepdims=True) for name, own in contributions.items()}
    replicate_key = read(item.get("dealt", ""), str, "dealt")  # not written by the first versions
    return Uncertainty(tuple(expansions), **contributions, replicate_key=replicate_key)


def _dependence(item: Document, n_features: int, n_outputs: int) -> Dependence:
    imitators = tuple(
        tuple(tuple(_positions(by, n_features, None).tolist()) for by in of_output) for of_output in item["imitators"]
    )
    _require([len(by) for by in imitators] == [n_features] * n_outputs, "imitators")
    relations = read(item.get("relations", []), tuple[Relation, ...], "relations")  # not written by the first versions
    for each in relations:
        _require(each.output < n_outputs and 0 <= each.share <= 1, "relations")
        _term(list(each.term), n_features), _term(list(each.others), n_features)
    return Dependence(_array(item["imitated"], n_features, n_outputs), imitators, relations)


def _joint_support(item: Document, reference: Reference) -> JointSupport:
    _require(isinstance(reference, MarginalReference), "joint_support")
    marginals = reference.marginals if isinstance(reference, MarginalReference) else ()
    n_rows, n_cells = read(item["n_rows"], int, "n_rows"), read(item["n_cells"], int, "n_cells")
    pairs = tuple(map(UnseenCells.from_document, item["pairs"]))
    for pair in pairs:
        axes = [CellAxis(marginals[feature], n_cells).n_known + 2 for feature in _term(list(pair.term), len(marginals))]
        _require(n_cells > 0 and len(axes) == 2 and all(map(int.__ge__, pair.cells.shape, axes)), "joint_support")
    return JointSupport(n_rows, n_cells, pairs, read(item["chance"], float, "chance"))


def _fingerprint(item: Document, n_outputs: int) -> Fingerprint:
    kept, n_rows = _array(item["kept"], None, n_outputs), read(item["n_rows"], int, "n_rows")
    predictions = item["predictions"] if "predictions" in item else item["answers"]  # their former name
    inputs, outputs = (read(digest, str, "a digest") for digest in (item["inputs"], predictions))
    step = read(item["step"], int, "step")
    _require(step > 0 and len(kept) == -(-n_rows // step), "fingerprint")
    return Fingerprint(n_rows, inputs, outputs, step, kept)


def _reference_document(reference: Reference) -> Document:
    if isinstance(reference, MarginalReference):
        kinds = ["nominal" if isinstance(m, NominalMarginal) else "numeric" for m in reference.marginals]
        marginals = zip(kinds, reference.marginals, strict=True)
        return {"kind": "marginal", "marginals": [{"kind": kind, **plain(m)} for kind, m in marginals]}
    if isinstance(reference, DensityReference):
        return {
            "kind": "density",
            **plain(reference.scaling),
            "degree": reference.degree,
            "densities": list(reference.densities.items()),
            "clip": reference.clip,
        }
    raise StorageError(f"A reference of type {type(reference).__name__} cannot be saved.")


def _reference(item: Document, features: Sequence[Feature]) -> Reference:
    if item["kind"] == "marginal":
        _require(len(item["marginals"]) == len(features), "marginals")
        return MarginalReference(tuple(map(_marginal, item["marginals"], features)))
    if item["kind"] == "density":
        laws = [None if item[name] is None else _array(item[name], len(features)) for name in ("centre", "spread")]
        _require(laws[0] is None or (laws[1] is not None and bool((laws[1] > 0).all())), "scaling")
        densities = {}
        for written, tensor in item["densities"]:
            term = _term(written, len(features))
            densities[term] = _array(tensor, *[None] * (len(term) + 1))
        degree, clip = read(item["degree"], int, "degree"), read(item["clip"], float, "clip")
        _require(0 <= degree < MAX_NODES and clip > 0, "densities")
        return DensityReference(Scaling(*laws), degree, densities, clip)
    raise StorageError(f"there is no reference {item['kind']!r:.60}.")


def _marginal(item: Document, feature: Feature) -> Marginal:
    _require((item["kind"] == "nominal") == (feature.kind == "nominal"), f"the functions of {feature.name!r:.60}")
    if item["kind"] == "nominal":
        table = _array(item["table"], None, None)
        cells = _positions(item["cells"], table.shape[1], len(feature.levels))
        absent = int(_positions([item["missing_cell"]], table.shape[1], 1, least=-1)[0])
        return NominalMarginal(cells, absent, table, tuple(_positions(item["pooled"], len(cells), None).tolist()))
    knots, missing = _array(item["knots"], None), read(item["missing"], float, "missing")
    ranks = _array(item["ranks"], len(knots))
    _require(len(knots) > 0 and 0 <= missing < 1 and _rising(knots) and _rising(ranks), "knots")
    law = (knots, ranks, _positions(item["atoms"], len(knots), None), missing)
    if "alpha" in item:
        return _of_ranks(law, item)
    breaks, heavy = _array(item["breaks"], None), _array(item["heavy"], None)
    table = _array(item["table"], None, len(breaks))
    _require(len(breaks) > 0 and _rising(breaks) and _rising(heavy), "breaks")
    empty, jumps = _positions(item["gaps"], len(breaks), None), _array(item["jumps"], len(table), len(heavy))
    held = read(item.get("held", False), bool, "held")  # where this was not written, all curves went on as lines
    return NumericMarginal(*law, breaks, table, read(item["curved"], bool, "curved"), empty, heavy, jumps, held)


def _rising(values: Floats) -> bool:
    return bool((np.diff(values) > 0).all())


def _of_ranks(law: tuple[Floats, Floats, NDArray[np.intp], float], item: Document) -> NumericMarginal:
    """Read polynomials of the rank, which the first versions had, as straight lines between many places."""
    knots, ranks, atoms, _ = law
    steps = 16  # between knots: straight lines are then right to three digits
    alpha = _array(item["alpha"], None)
    beta = _array(item["beta"], len(alpha))
    if len(atoms) < len(knots):
        places = np.arange((len(knots) - 1) * steps + 1) / steps
        breaks, at = (np.interp(places, np.arange(len(knots)), each) for each in (knots, ranks))
        # Where ranks lie so far apart nothing held the polynomials, and the nearer value counted.
        nearest = np.floor(places + 0.5).astype(np.intp)
        apart = np.append(np.diff(ranks) > 0.02, False)[places.astype(np.intp)]
        at = np.where(apart, ranks[nearest], at)
        functions = [np.zeros(len(at)), np.ones(len(at))]
        for m in range(len(alpha)):
            earlier = beta[m - 1] * functions[-2] if m else 0.0
            functions.append(((2 * at - 1 - alpha[m]) * functions[-1] - earlier) / beta[m])
        table = np.array(functions[2:])
        of_atoms = np.flatnonzero(np.isin(nearest, atoms) & (at == ranks[nearest]))
        at_atoms = _array(item["table"], len(alpha), len(atoms))
        table[:, of_atoms] = at_atoms[:, np.searchsorted(atoms, nearest[of_atoms])]
        breaks, kept = np.unique(breaks, return_index=True)
        table = table[:, kept]
    else:
        breaks, table = knots, _array(item["table"], len(alpha), len(atoms))
    lines = np.arange(len(breaks) - 1)
    return NumericMarginal(*law, breaks, table, False, lines, np.zeros(0), np.zeros((len(table), 0)))
