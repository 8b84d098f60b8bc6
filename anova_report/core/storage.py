"""A decomposition as versioned JSON: numbers are written so that they read back to the last bit."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.columns import Feature
from anova_report.core.densities import DensityReference
from anova_report.core.expansion import Component, Expansion, Reference
from anova_report.core.moments import Moments
from anova_report.core.scaling import Scaling
from anova_report.errors import StorageError

if TYPE_CHECKING:
    from anova_report.core.decomposition import Decomposition

SCHEMA = "anova_report.decomposition"
VERSION = 1

Document = dict[str, Any]


def dumps(document: Document) -> str:
    """Write a document as JSON; NaN and infinity are refused because JSON has no such numbers."""
    try:
        return json.dumps(document, allow_nan=False, ensure_ascii=False, default=_python_number)
    except (TypeError, ValueError) as error:
        raise StorageError(f"The document cannot be written as JSON: {error}.") from error


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read a JSON file and check that it is a decomposition this version understands."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StorageError(f"{os.fspath(path)} is not JSON: {error}.") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise StorageError(f"{os.fspath(path)} is JSON, but not a saved decomposition.")
    if document.get("version") != VERSION:
        raise StorageError(
            f"{os.fspath(path)} has schema version {document.get('version')}, and this version of anova_report reads "
            f"version {VERSION}. Upgrade anova_report, or save the decomposition again."
        )
    return document


def decomposition_document(dec: "Decomposition") -> Document:
    """Write a decomposition as JSON types."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "settings": dict(dec.settings),
        "scale": dec.scale,
        "single_output": dec.single_output,
        "output_names": list(dec.output_names),
        "features": [_feature_document(feature) for feature in dec.features],
        "mean": dec.expansion.mean.tolist(),
        "components": [_component_document(component) for component in dec.expansion.components],
        "reference": _reference_document(dec.expansion.reference),
        "in_sample": _moments_document(dec.in_sample),
        "held_out": None if dec.held_out is None else _moments_document(dec.held_out),
    }


def decomposition_fields(document: Document) -> dict[str, Any]:
    """Read back what `decomposition_document` wrote, as the arguments of `Decomposition`."""
    try:
        components = tuple(_component(item) for item in document["components"])
        held_out = document["held_out"]
        return {
            "features": tuple(_feature(item) for item in document["features"]),
            "output_names": tuple(document["output_names"]),
            "expansion": Expansion(_reference(document["reference"]), components, _array(document["mean"])),
            "in_sample": _moments(document["in_sample"]),
            "held_out": None if held_out is None else _moments(held_out),
            "single_output": document["single_output"],
            "scale": document["scale"],
            "settings": document["settings"],
        }
    except StorageError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"The saved decomposition is damaged: {type(error).__name__} at {error}.") from error


def _python_number(value: object) -> Any:
    # Settings are kept as they were given, and K may be a numpy integer.
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is of type {type(value).__name__}, which JSON has no word for")


def _array(numbers: Any) -> Floats:
    return np.array(numbers, dtype=np.float64)


def _feature_document(feature: Feature) -> Document:
    return {"name": feature.name, "kind": feature.kind, "levels": list(feature.levels)}


def _feature(item: Document) -> Feature:
    return Feature(item["name"], item["kind"], tuple(item["levels"]))


def _component_document(component: Component) -> Document:
    return {
        "term": list(component.term),
        "degrees": component.degrees.tolist(),
        "coefficients": component.coefficients.tolist(),
        "offset": component.offset.tolist(),
    }


def _component(item: Document) -> Component:
    term, offset = tuple(item["term"]), _array(item["offset"])
    degrees = np.array(item["degrees"], dtype=np.intp).reshape(-1, len(term))
    return Component(term, degrees, _array(item["coefficients"]).reshape(len(degrees), len(offset)), offset)


def _moments_document(moments: Moments) -> Document:
    return {
        "n_rows": moments.n_rows,
        "firsts": moments.firsts.tolist(),
        "seconds": moments.seconds.tolist(),
        "fourths": moments.fourths.tolist(),
    }


def _moments(item: Document) -> Moments:
    firsts = _array(item["firsts"])
    fourths = _array(item["fourths"]).reshape(-1, firsts.shape[1])
    return Moments(item["n_rows"], firsts, _array(item["seconds"]), fourths)


def _reference_document(reference: Reference) -> Document:
    if isinstance(reference, DensityReference):
        scaling = reference.scaling
        return {
            "kind": "density",
            "centre": None if scaling.centre is None else scaling.centre.tolist(),
            "spread": None if scaling.spread is None else scaling.spread.tolist(),
            "degree": reference.degree,
            "densities": [[list(term), tensor.tolist()] for term, tensor in reference.densities.items()],
            "clip": reference.clip,
        }
    raise StorageError(f"A reference of type {type(reference).__name__} cannot be saved.")


def _reference(item: Document) -> Reference:
    if item["kind"] != "density":
        raise StorageError(f"The saved decomposition has an unknown reference {item['kind']!r}.")
    scaling = Scaling() if item["centre"] is None else Scaling(_array(item["centre"]), _array(item["spread"]))
    densities = {tuple(term): _array(tensor) for term, tensor in item["densities"]}
    return DensityReference(scaling, item["degree"], densities, item["clip"])
