"""Taking things along: pictures as one SVG, links that hold files, and the audit of the present choice."""

from collections.abc import Mapping
from dataclasses import replace
from xml.etree.ElementTree import Element, SubElement, fromstring, register_namespace, tostring

from anova_report.explorer import stills
from anova_report.explorer.colouring import Groups
from anova_report.explorer.fragments import Link
from anova_report.explorer.stills import SPACE
from anova_report.explorer.tables import columns, csv_document
from anova_report.figures.figure import Figure
from anova_report.figures.style import FONT, paint
from anova_report.figures.svg.text import clean
from anova_report.report.audit.audit import Audit

TITLE, GAP, EDGE = 22, 18, 12  # pixels for a title, between pictures, around all


def svg_document(figures: Mapping[str, Figure], groups: Groups | None = None) -> str:
    """Draw pictures one below the other, with their titles, as one SVG file."""
    register_namespace("", SPACE)
    root, top, wide = _element("svg"), EDGE, 0
    root.append(_element("rect", width="100%", height="100%", fill=paint("surface")))
    looks = {"font-family": FONT, "font-size": "14", "font-weight": "600", "fill": paint("fg")}
    for figure in figures.values():
        picture = fromstring(stills.draw(figure, groups))  # noqa: S314 drawn by ourselves
        title = SubElement(root, f"{{{SPACE}}}text", {"x": str(EDGE), "y": str(top + 14), **looks})
        title.text = clean(figure.title)
        picture.attrib |= {"x": str(EDGE), "y": str(top + TITLE)}
        root.append(picture)
        top += TITLE + int(picture.get("height", "0")) + GAP
        wide = max(wide, int(picture.get("width", "0")) + 2 * EDGE)
    root.attrib |= {"width": str(wide), "height": str(top), "viewBox": f"0 0 {wide} {top}"}
    return tostring(root, encoding="unicode")


def file_links(tab: str, figures: Mapping[str, Figure], groups: Groups | None = None) -> list[Link]:
    """Make links to the pictures of a tab, and to the numbers behind each."""
    tables = [
        Link(f"{name.replace(' ', '-')}.csv", _csv_address(figure), f"{figure.title} (CSV)")
        for name, figure in figures.items()
    ]
    whole = Link(
        f"{tab}.svg", stills.data_uri("image/svg+xml", svg_document(figures, groups)), "All pictures here (SVG)"
    )
    return [whole, *tables] if figures else []


def of_output(audit: Audit, output: int) -> Audit:
    """Keep one output of an audit, and the figures that belong to it."""
    others = tuple(f"o{position}-" for position in range(len(audit.outputs)) if position != output)
    kept = {key: figure for key, figure in audit.figures.items() if not key.startswith(others)}
    plots = {key: plot for key, plot in audit.plots.items() if key in kept}
    return replace(audit, outputs=(audit.outputs[output],), figures=kept, plots=plots)


def _csv_address(figure: Figure) -> str:
    return stills.data_uri("text/csv", csv_document(columns(figure)))


def _element(tag: str, **attributes: str) -> Element:
    return Element(f"{{{SPACE}}}{tag}", attributes)
