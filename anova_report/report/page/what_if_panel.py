"""The what-if panel: what its scripts are given, as text that does not run, and the scripts themselves."""

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from markupsafe import Markup

from anova_report.core.input.features import Feature
from anova_report.figures.curves import Curve
from anova_report.figures.figure import Figure
from anova_report.figures.geometry import Axis, Panel
from anova_report.figures.levels import Levels
from anova_report.figures.pairs import Surface
from anova_report.figures.scene import Scene
from anova_report.figures.shares import Totals
from anova_report.figures.spread import Histogram
from anova_report.io import sinks
from anova_report.io.documents import plain
from anova_report.measures.claims import Claims
from anova_report.measures.values import MISSING
from anova_report.report.audit.audit import Audit, FeatureFacts, OutputAudit
from anova_report.report.audit.what_if import InputFunctions, WhatIf
from anova_report.report.page import assets

SCRIPTS = ("evaluator.js", "wording.js", "what_if_drawing.js", "what_if_controls.js", "what_if.js")
OF_PAGE = "what_if_page.js"
OF_NOTEBOOK = "living.js"
SHEET = "what_if.css"
GLANCE = (320.0, 230.0)  # pixels of an effect on the first page


@dataclass(frozen=True)
class WhatIfPanel:
    """Numbers of the panel and its script, compressed; and the hash that lets the script run."""

    numbers: Markup
    code: Markup
    hash: str


def what_if_panel(audit: Audit) -> WhatIfPanel | None:
    """Make the panel of an audit; None where the audit holds nothing that could be evaluated."""
    if audit.what_if is None:
        return None
    written = json.dumps(given(audit, audit.what_if), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = sinks.in_full(written)  # whatever text of a file is not cleaned one by one
    code = "\n".join(map(assets.script, (*SCRIPTS, OF_PAGE)))
    # Our own files, in letters that mean nothing in HTML.
    return WhatIfPanel(Markup(assets.packed(text)), Markup(assets.packed(code)), assets.source_hash(code))  # noqa: S704


@cache
def notebook_code() -> str:
    """Read the scripts of a panel in a notebook; they define `anovaLiving`."""
    return "\n".join(map(assets.script, (*SCRIPTS, OF_NOTEBOOK)))


@cache
def saved_code() -> str:
    """Write these scripts so that they run once for each saved panel, and leave nothing behind."""
    return f"document.currentScript.anovaLiving = (() => {{\n{notebook_code()}\nreturn anovaLiving;\n}})();"


@cache
def saved_loader() -> str:
    """Read the script that brings a saved panel to life."""
    return assets.script("living_loader.js")


def saved(text: str) -> str:
    """Compress a text for an inert block of an output, in letters that mean nothing in HTML."""
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode("ascii")


def given(audit: Audit, numbers: WhatIf) -> dict[str, Any]:
    """Collect what the scripts are given of a page."""
    features = [feature_given(feature, audit.figures[feature.figure]) for feature in audit.features]
    outputs = [_output(audit, output, numbers) for output in audit.outputs]
    return island(numbers, features, _order(audit, len(features)), outputs)


def island(
    numbers: WhatIf, features: list[dict[str, Any]], order: Sequence[int], outputs: list[dict[str, Any]]
) -> dict[str, Any]:
    """Write numbers, what features and terms are called, and where figures show a point; features in some order."""
    labels = [" × ".join(features[at]["title"] for at in term) for term in numbers.terms]
    return {
        "numbers": plain(_cleaned(numbers)),
        "features": features,
        "labels": list(map(sinks.clean, labels)),
        "order": list(order),
        "outputs": outputs,
    }


def _cleaned(numbers: WhatIf) -> WhatIf:
    """Clean every text from outside; packed numbers are our own, and longer than any text may be."""
    inputs = [
        replace(own, **{name: sinks.cleaned(getattr(own, name)) for name in ("name", "levels", "columns")})
        for own in numbers.inputs
    ]
    outputs = [
        replace(own, name=sinks.clean(own.name), prediction=sinks.clean(own.prediction)) for own in numbers.outputs
    ]
    texts = {name: sinks.cleaned(getattr(numbers, name)) for name in ("scale", "unit", "members", "starts")}
    return replace(numbers, inputs=tuple(inputs), outputs=tuple(outputs), **texts)


def feature_given(feature: FeatureFacts | Feature, histogram: Figure) -> dict[str, Any]:
    """Write what a feature is called, and how rows are spread over it."""
    drawn = histogram.data
    rows = (drawn.edges, drawn.count) if isinstance(drawn, Histogram) and drawn.edges else ((), ())
    return {
        "title": sinks.clean(feature.title),
        "heading": sinks.clean(feature.heading),
        "unit": sinks.clean(feature.unit) if feature.kind == "numeric" else "",
        "edges": list(rows[0]),
        "counts": list(rows[1]),
    }


def _order(audit: Audit, n_features: int) -> list[int]:
    """List features as the shares of the first output do, then the others."""
    totals = audit.figures[audit.outputs[0].totals].data
    first = totals.features if isinstance(totals, Totals) and not totals.members else ()
    return [*first, *(at for at in range(n_features) if at not in first)]


def _output(audit: Audit, output: OutputAudit, numbers: WhatIf) -> dict[str, Any]:
    prefix = f"{output.anchor}-" if len(audit.outputs) > 1 else ""
    joints = [joint_given(joint.label, _features_of(joint.claims), joint.why) for joint in output.joints]
    drawn = [(main.figure, main.claims) for main in output.mains] + [
        (pair.surface, pair.claims) for pair in output.pairs
    ]
    marks = [
        mark
        for key, claims in drawn
        for term in [next(claim.terms[0] for claim in claims if claim.terms)]
        for mark in marks_on(audit.figures[key], term, numbers)
    ]
    position = next(at for at, each in enumerate(audit.outputs) if each is output)
    return output_given(numbers, position, joints, marks, f"{prefix}joint-effects")


def output_given(
    numbers: WhatIf, position: int, joints: list[dict[str, Any]], marks: list[dict[str, Any]], anchor: str = ""
) -> dict[str, Any]:
    """Write what predictions are called, which features are read together, and where figures show a point."""
    prediction = sinks.clean(numbers.outputs[position].prediction)
    return {"prediction": prediction, "anchor": anchor, "joints": joints, "marks": marks}


def joint_given(label: str, features: Sequence[int], why: str) -> dict[str, Any]:
    """Write which features are read together."""
    return {"label": sinks.clean(label), "features": list(features), "why": sinks.clean(why)}


def _features_of(claims: Claims) -> list[int]:
    return list(next((claim.features for claim in claims if claim.kind == "joint share"), ()))


def marks_on(figure: Figure, term: Sequence[int], numbers: WhatIf) -> Iterator[dict[str, Any]]:
    """Say where a figure, and its small form, show the values of a term."""
    data = figure.data
    if not isinstance(data, Curve | Levels | Surface):
        return
    scenes = [figure.scene, data.scene(*GLANCE)]
    axes = (data.x, data.y) if isinstance(data, Surface) else (data.x,)
    kind = {Curve: "curve", Levels: "levels", Surface: "surface"}[type(data)]
    # Small bars leave levels out, so theirs are not those of the figure.
    scenes = scenes[:1] if kind == "levels" else scenes
    yield {
        "key": figure.key,
        "times": [axis.time for axis in axes],
        "ids": [f"{figure.key}-{form}-title" for form in ("svg", "glance")][: len(scenes)],
        "term": list(term),
        "kind": kind,
        "places": [_places(axis, numbers.inputs[at]) for axis, at in zip(axes, term, strict=True)],
        "panels": [list(_panels(scene, data)) for scene in scenes],
    }


def _panels(scene: Scene, data: Curve | Levels | Surface) -> Iterator[dict[str, Any]]:
    """Describe the panel of values and, beside a curve, the one of missing values."""
    main = scene.panels[0]
    yield _panel(main, scene.panels[1].frame.bottom if isinstance(data, Curve) else main.frame.bottom)
    if isinstance(data, Curve) and data.missing is not None:
        yield _panel(scene.panels[2], main.frame.bottom)


def _panel(panel: Panel, foot: float) -> dict[str, Any]:
    frame = panel.frame
    return {"frame": [frame.left, frame.top, frame.right, frame.bottom], "x": panel.x, "y": panel.y, "foot": foot}


def _places(axis: Axis, known: InputFunctions) -> list[float | str | None] | None:
    """Say which value stands at each place of an axis of levels, None where that is unknown; None for numbers."""
    if not axis.levels:
        return None
    return [_value(name, known) for name in axis.levels]


def _value(name: str, known: InputFunctions) -> float | str | None:
    if name == MISSING:
        return "missing"
    if known.levels:
        level = sinks.cut(name)  # as it is saved
        return known.levels.index(level) if level in known.levels else None
    if name in ("True", "False"):
        return float(name == "True")
    try:
        return float(name.removesuffix(" s").replace(",", "").replace("−", "-"))
    except ValueError:
        return None
