"""A decomposition as versioned JSON: numbers are written so that they read back to the last bit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core import documents
from anova_report.core.arrays import Floats
from anova_report.core.documents import Stamp, plain
from anova_report.core.expansion import Component, Expansion, Reference
from anova_report.core.fingerprint import Fingerprint
from anova_report.core.fit.dependence import Dependence
from anova_report.core.fit.families import Marginal, MarginalReference, NominalMarginal, NumericMarginal
from anova_report.core.fit.joint_support import JointSupport, UnseenCells
from anova_report.core.fit.moments import HardestRows, Moments
from anova_report.core.fit.partition import Partition
from anova_report.core.fit.uncertainty import Uncertainty
from anova_report.core.input.features import Feature
from anova_report.core.input.table import LeftOut
from anova_report.core.published.densities import DensityReference, Scaling
from anova_report.errors import StorageError

if TYPE_CHECKING:
    from anova_report.core.decomposition import Decomposition

CURE = "Pass a file that `anova-report audit --decomposition` or Decomposition.save wrote."
STAMP = Stamp("anova_report.decomposition", 1, "a decomposition", CURE)
CONTRIBUTIONS = ("structural", "total", "in_sample", "held_out")  # arrays of an `Uncertainty`

OLD_STEPS = 16  # between the knots of the first versions; then straight lines are right to three digits
OLD_JUMP = 0.02  # between knots whose ranks differ by more the first versions saw no data

Document = dict[str, Any]


def dumps(dec: "Decomposition") -> str:
    """Write a decomposition as JSON; arrays become lists."""
    document = {
        "schema": STAMP.schema,
        "version": STAMP.version,
        "settings": dict(dec.settings),
        "scale": dec.scale,
        "single_output": dec.single_output,
        "output_names": dec.output_names,
        "features": plain(dec.features),
        "mean": dec.expansion.mean,
        "components": plain(dec.expansion.components),
        "reference": _reference_document(dec.expansion.reference),
        "in_sample": plain(dec.in_sample),
        "held_out": plain(dec.held_out),
        "uncertainty": None if dec.uncertainty is None else _uncertainty_document(dec.uncertainty),
        "dependence": plain(dec.dependence),
        "beyond": dec.beyond,
        "partition": plain(dec.partition),
        "joint_support": plain(dec.joint_support),
        "fingerprint": plain(dec.fingerprint),
        "correlations": dec.correlations,
        "path": dec.path,
        "left_out": plain(dec.left_out),
    }
    return documents.dumps(document, default=_python_numbers)


def decomposition_fields(document: Document) -> dict[str, Any]:
    """Read back what `dumps` wrote, as the arguments of `Decomposition`."""
    try:
        components = tuple(_component(item) for item in document["components"])
        reference = _reference(document["reference"])
        held_out, uncertainty = document["held_out"], document["uncertainty"]
        partition = document.get("partition")  # not written by the first versions
        correlations = document.get("correlations")  # not written by the first versions
        return {
            "features": tuple(Feature(f["name"], f["kind"], tuple(f["levels"])) for f in document["features"]),
            "output_names": tuple(document["output_names"]),
            "expansion": Expansion(reference, components, _array(document["mean"])),
            "in_sample": _moments(document["in_sample"]),
            "held_out": None if held_out is None else _moments(held_out),
            "uncertainty": None if uncertainty is None else _uncertainty(uncertainty, reference, components),
            "dependence": _dependence(document.get("dependence")),  # not written by the first versions
            "beyond": tuple((tuple(term), float(share)) for term, share in document.get("beyond", ())),
            "single_output": document["single_output"],
            "scale": document["scale"],
            "settings": document["settings"],
            "partition": None if partition is None else Partition(**partition),
            "joint_support": _joint_support(document.get("joint_support")),  # not written by the first versions
            "fingerprint": _fingerprint(document.get("fingerprint")),  # nor is this
            "correlations": None if correlations is None else _array(correlations),
            "path": document.get("path"),  # nor this
            "left_out": tuple(LeftOut(**column) for column in document.get("left_out", ())),  # nor this
        }
    except StorageError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"The saved decomposition is damaged: {type(error).__name__} at {error}.") from error


def _python_numbers(value: object) -> Any:
    # Settings are kept as they were given, and K may be a numpy integer.
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} is of type {type(value).__name__}, which JSON cannot hold")


def _array(numbers: Any) -> Floats:
    return np.array(numbers, dtype=np.float64)


def _component(item: Document) -> Component:
    term, offset = tuple(item["term"]), _array(item["offset"])
    degrees = np.array(item["degrees"], dtype=np.intp).reshape(-1, len(term))
    return Component(term, degrees, _array(item["coefficients"]).reshape(len(degrees), len(offset)), offset)


def _moments(item: Document) -> Moments:
    firsts = _array(item["firsts"])
    fourths = _array(item["fourths"]).reshape(-1, firsts.shape[1])
    # The first versions wrote neither floors nor which rows decide.
    written = (item["leakages"], item.get("leakage_floors"))
    leaks = [None if values is None else _array(values).reshape(fourths.shape) for values in written]
    hardest = None if item.get("hardest") is None else _hardest(item["hardest"], firsts.shape[1])
    gap = _array(item["squared_gap"])
    effective = item.get("n_effective")  # written since rows can be weighted
    return Moments(
        item["n_rows"], firsts, _array(item["seconds"]), fourths, gap, leaks[0], leaks[1], hardest, effective
    )


def _hardest(item: Document, n_outputs: int) -> HardestRows:
    positions = np.array(item["positions"], dtype=np.int64).reshape(-1, n_outputs)
    shares = _array(item["shares"]).reshape(positions.shape)
    deciding = item["prediction_rows"] if "prediction_rows" in item else item["answer_rows"]  # its former name
    return HardestRows(positions, shares, _array(item["gap_rows"]), _array(deciding))


def _uncertainty_document(uncertainty: Uncertainty) -> Document:
    # Degrees are those of the components themselves, so only what differs is written.
    return {
        "coefficients": [[c.coefficients for c in one.components] for one in uncertainty.components],
        "offsets": [[c.offset for c in one.components] for one in uncertainty.components],
        **{name: getattr(uncertainty, name) for name in CONTRIBUTIONS},
        "dealt": uncertainty.replicate_key,
        "lacking": True,
    }


def _uncertainty(item: Document, reference: Reference, components: Sequence[Component]) -> Uncertainty:
    expansions = []
    for coefficients, offsets in zip(item["coefficients"], item["offsets"], strict=True):
        traced = tuple(
            Component(c.term, c.degrees, _array(values).reshape(len(c.degrees), len(offset)), _array(offset))
            for c, values, offset in zip(components, coefficients, offsets, strict=True)
        )
        expansions.append(Expansion(reference, traced, np.zeros(len(traced[0].offset))))
    contributions = {name: _array(item[name]) for name in CONTRIBUTIONS}
    if not item.get("lacking"):  # contributions of the first versions added up to what chance made of them
        contributions = {name: own - own.mean(axis=-2, keepdims=True) for name, own in contributions.items()}
    replicate_key = item.get("dealt", "")  # not written by the first versions
    return Uncertainty(tuple(expansions), **contributions, replicate_key=replicate_key)


def _dependence(item: Document | None) -> Dependence | None:
    if item is None:
        return None
    imitators = tuple(tuple(tuple(by) for by in of_output) for of_output in item["imitators"])
    return Dependence(_array(item["imitated"]), imitators)


def _joint_support(item: Document | None) -> JointSupport | None:
    if item is None:
        return None
    pairs = tuple(map(UnseenCells.from_document, item["pairs"]))
    return JointSupport(item["n_rows"], item["n_cells"], pairs, item["chance"])


def _fingerprint(item: Document | None) -> Fingerprint | None:
    if item is None:
        return None
    kept = _array(item["kept"])
    predictions = item["predictions"] if "predictions" in item else item["answers"]  # their former name
    return Fingerprint(item["n_rows"], item["inputs"], predictions, item["step"], kept)


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


def _reference(item: Document) -> Reference:
    if item["kind"] == "marginal":
        return MarginalReference(tuple(_marginal(m) for m in item["marginals"]))
    if item["kind"] == "density":
        scaling = Scaling() if item["centre"] is None else Scaling(_array(item["centre"]), _array(item["spread"]))
        densities = {tuple(term): _array(tensor) for term, tensor in item["densities"]}
        return DensityReference(scaling, item["degree"], densities, item["clip"])
    raise StorageError(f"The saved decomposition has an unknown reference {item['kind']!r}.")


def _marginal(item: Document) -> Marginal:
    if item["kind"] == "nominal":
        cells, pooled = np.array(item["cells"], dtype=np.intp), tuple(item["pooled"])
        return NominalMarginal(cells, item["missing_cell"], _array(item["table"]), pooled)
    knots, ranks = _array(item["knots"]), _array(item["ranks"])
    law = (knots, ranks, np.array(item["atoms"], dtype=np.intp), float(item["missing"]))
    if "alpha" in item:
        return _of_ranks(law, item)
    breaks, heavy = _array(item["breaks"]), _array(item["heavy"])
    table = _array(item["table"]).reshape(-1, len(breaks))
    gaps, jumps = np.array(item["gaps"], dtype=np.intp), _array(item["jumps"]).reshape(len(table), len(heavy))
    return NumericMarginal(*law, breaks, table, bool(item["curved"]), gaps, heavy, jumps)


def _of_ranks(law: tuple[Floats, Floats, NDArray[np.intp], float], item: Document) -> NumericMarginal:
    """Read polynomials of the rank, which the first versions had, as straight lines between many places."""
    knots, ranks, atoms, _ = law
    alpha, beta = _array(item["alpha"]), _array(item["beta"])
    if len(atoms) < len(knots):
        places = np.arange((len(knots) - 1) * OLD_STEPS + 1) / OLD_STEPS
        breaks, at = (np.interp(places, np.arange(len(knots)), each) for each in (knots, ranks))
        # Where ranks lie apart nothing held the polynomials, and the nearer value counted.
        nearest = np.floor(places + 0.5).astype(np.intp)
        apart = np.append(np.diff(ranks) > OLD_JUMP, False)[places.astype(np.intp)]
        at = np.where(apart, ranks[nearest], at)
        functions = [np.zeros(len(at)), np.ones(len(at))]
        for m in range(len(alpha)):
            earlier = beta[m - 1] * functions[-2] if m else 0.0
            functions.append(((2 * at - 1 - alpha[m]) * functions[-1] - earlier) / beta[m])
        table = np.array(functions[2:])
        of_atoms = np.flatnonzero(np.isin(nearest, atoms) & (at == ranks[nearest]))
        at_atoms = _array(item["table"]).reshape(len(alpha), len(atoms))
        table[:, of_atoms] = at_atoms[:, np.searchsorted(atoms, nearest[of_atoms])]
        breaks, kept = np.unique(breaks, return_index=True)
        table = table[:, kept]
    else:
        breaks, table = knots, _array(item["table"]).reshape(len(alpha), len(atoms))
    nothing = np.zeros(0)
    gaps = np.arange(len(breaks) - 1)
    return NumericMarginal(*law, breaks, table, False, gaps, nothing, np.zeros((len(table), 0)))
