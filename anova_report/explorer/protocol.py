"""What the bridge asks of bokeh beyond its documented interface; nothing else in this package does.

Bokeh promises documents that a server of its own keeps in step with a page. A notebook has no such server, so the
bridge writes the same messages and sends them itself: `Protocol().create("PATCH-DOC")` writes changes,
`apply_json_patch` reads some, and a change carries who made it. Browser tests run all of this on each supported line of
bokeh.
"""

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, DocumentPatchedEvent, ModelChangedEvent
from bokeh.models import Range1d, Selection
from bokeh.protocol import Protocol

from anova_report.figures.live import bokehjs

# What a page may change. A page is not always in the hands of who runs the kernel (voila), so nothing else is taken.
OPEN_TO_PAGES: dict[type, frozenset[str]] = {
    Range1d: frozenset({"start", "end"}),
    Selection: frozenset({"indices", "line_indices", "multiline_indices", "image_indices"}),
}


@dataclass(frozen=True)
class Patch:
    """Changes of a document as JSON types, with their arrays beside them as bytes.

    Parameters
    ----------
    content : mapping
    ids : tuple of str
        Name of each array in `content`.
    buffers : tuple of bytes
    """

    content: Mapping[str, Any]
    ids: tuple[str, ...]
    buffers: tuple[bytes, ...]


@cache
def packed_bokehjs() -> bytes:
    """Return BokehJS compressed: a quarter of its size, which matters where the kernel is far away."""
    return gzip.compress(bokehjs().encode(), mtime=0)


def patch(events: Sequence[DocumentPatchedEvent]) -> Patch:
    """Write changes of one document with the values that hold now, whatever held when they were noticed."""
    for event in events:
        if isinstance(event, ModelChangedEvent):
            event.new = event.model.lookup(event.attr).get_value(event.model)
    message = Protocol().create("PATCH-DOC", list(events))
    buffers = message.buffers
    return Patch(
        json.loads(message.content_json),
        tuple(buffer.id for buffer in buffers),
        tuple(buffer.to_bytes() for buffer in buffers),
    )


def is_told(event: DocumentPatchedEvent, earlier: Iterable[DocumentPatchedEvent]) -> bool:
    """Whether an earlier change, written later with the values that then hold, says the same."""
    return any(_covers(other, event) for other in earlier)


def apply(document: Document, events: Iterable[Any], view: str) -> None:
    """Take over what a view's page reports, as far as pages may; the changes carry the view as who made them."""
    taken = [event for event in events if _is_open(document, event)]
    if taken:
        document.apply_json_patch({"events": taken}, setter=view)  # type: ignore[arg-type]  # any object will do


def listen(event: DocumentPatchedEvent) -> None:
    """Let a model hear events that callbacks were added for after it came into its document; bokeh forgets those."""
    if isinstance(event, ModelChangedEvent) and event.attr == "subscribed_events":
        for name in event.model.subscribed_events:
            event.document.callbacks.subscribe(name, event.model)


def maker(event: DocumentPatchedEvent) -> str | None:
    """Return the view whose page made a change, or None if Python did."""
    return event.setter if isinstance(event.setter, str) else None


def _covers(earlier: DocumentPatchedEvent, event: DocumentPatchedEvent) -> bool:
    if not isinstance(earlier, ModelChangedEvent | ColumnDataChangedEvent) or earlier.setter != event.setter:
        return False
    same = earlier.model is getattr(event, "model", None) and earlier.attr == getattr(event, "attr", None)
    if isinstance(earlier, ColumnDataChangedEvent):
        return same and earlier.cols in (None, getattr(event, "cols", ()))
    return same and isinstance(event, ModelChangedEvent)


def _is_open(document: Document, event: Any) -> bool:
    match event:
        case {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": {"type": "event"}}:
            return True
        case {"kind": "ModelChanged", "model": {"id": str(name)}, "attr": str(attr), "new": _}:
            return attr in OPEN_TO_PAGES.get(type(document.models.get_by_id(ID(name))), ())
        case _:
            return False
