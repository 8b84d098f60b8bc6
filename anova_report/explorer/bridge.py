"""Live plots in a notebook: a bokeh document in Python, and any number of views of it in pages.

Bokeh documents that its own server keeps a document and a page in step. A notebook has no such server, so the bridge
writes the same messages and sends them itself: `Protocol().create("PATCH-DOC")` writes changes, `apply_json_patch`
reads some, and a change carries the view that made it. Nothing else in this package uses more of bokeh than its
documented interface. Browser tests run all of this on each supported line of bokeh.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any
from weakref import WeakSet

import anywidget
import bokeh
import traitlets
from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, DocumentPatchedEvent, ModelChangedEvent
from bokeh.models import LayoutDOM, Range1d, Selection
from bokeh.protocol import Protocol
from IPython import get_ipython

from anova_report.errors import InputError
from anova_report.explorer.fragments import checked
from anova_report.figures.live import bokehjs
from anova_report.figures.style import DARK, DARK_ONLY, FONT, LIGHT, LIGHT_ONLY

# What a page may change. A page is not always in the hands of the person who runs the kernel (voila).
OPEN_TO_PAGES: dict[type, frozenset[str]] = {
    Range1d: frozenset({"start", "end"}),
    Selection: frozenset({"indices", "line_indices", "multiline_indices", "image_indices"}),
}


@cache
def packed_bokehjs() -> bytes:
    """Return BokehJS compressed: a quarter of its size, which matters where the kernel is far away."""
    return gzip.compress(bokehjs().encode(), mtime=0)


def make_patch(events: Sequence[DocumentPatchedEvent]) -> tuple[dict[str, Any], list[bytes]]:
    """Write changes of one document as a message, with its arrays beside it as bytes.

    The values are those of this moment, whatever they were when the changes were reported.
    """
    for event in events:
        if isinstance(event, ModelChangedEvent):
            event.new = event.model.lookup(event.attr).get_value(event.model)
    message = Protocol().create("PATCH-DOC", list(events))
    ids = [buffer.id for buffer in message.buffers]
    content = {"kind": "patch", "patch": json.loads(message.content_json), "ids": ids}
    return content, [buffer.to_bytes() for buffer in message.buffers]


def changed_by(event: DocumentPatchedEvent) -> object:
    """Say what an event changed, and who did; one of several such events is enough, as its values are read last."""
    if isinstance(event, ModelChangedEvent):
        return event.model, event.attr, event.setter
    if isinstance(event, ColumnDataChangedEvent):
        return event.model, event.attr, event.setter, None if event.cols is None else tuple(event.cols)
    return event


def _is_allowed(document: Document, event: Any) -> bool:
    """Whether a page may make the change that it reports."""
    match event:
        case {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": {"type": "event"}}:
            return True
        case {"kind": "ModelChanged", "model": {"id": str(name)}, "attr": str(attr), "new": _}:
            return attr in OPEN_TO_PAGES.get(type(document.models.get_by_id(ID(name))), ())
        case _:
            return False


class Still(traitlets.Unicode):  # type: ignore[type-arg]  # traitlets' own parameters differ between versions
    """HTML of a still picture; what could act in a page is refused before it is taken over, whoever sets it.

    RISK: pages set it as `innerHTML`, so a script in it would run with the rights of the person who reads the notebook,
    who may run code in the kernel. It must come from `figures.svg.draw` and from our own escaping code around it.
    """

    def validate(self, obj: Any, value: Any) -> str:
        """Check it at once; traitlets' own validators come too late when a page sets several traits together."""
        return checked(super().validate(obj, value))


_views: "WeakSet[BokehView]" = WeakSet()  # that are not closed


@cache
def _watch_cells() -> None:
    """Bring all still pictures up to date after each cell, as the notebook may be saved then; once in each process."""

    def draw_stills(_result: object = None) -> None:
        for view in list(_views):
            view.draw_still()

    if (shell := get_ipython()) is not None:
        shell.events.register("post_run_cell", draw_stills)


class BokehView(anywidget.AnyWidget):
    """Plots in a notebook that stay in step with Python.

    A page shows the still picture first, then asks for the plots as they are at that moment: a reloaded page and a
    second view are right, and a change in one view (a selection, a zoom) shows in all. BokehJS is sent to a page that
    lacks this version of it and is never stored in a notebook. Without a kernel, or where scripts are blocked, the
    still picture stays. Callbacks are bokeh's own: `plot.on_event`, `source.selected.on_change`.

    The still picture costs as much as the plots, so it is drawn when it is needed: when a page or a file asks for the
    state of the widget, after a cell has run, when plots on a page have not changed for a second (a notebook that is
    saved then holds it), and at every change for a page that shows nothing else.

    Parameters
    ----------
    plots : mapping of str to bokeh model, or one model
        Each under the name by which it is hidden and captioned; drawn in this order.
    captions : mapping of str to pair of str
        Title and description of plots, the description for people who cannot see them.
    still : callable, optional
        Draws the still picture with `figures.svg.draw` and our own escaping code only; see `Still`.
    summary : str
        What the view shows in words, for places that show text only.

    Attributes
    ----------
    hidden : tuple of str
        Names of plots that are not shown at present.
    fallback : str
        The still picture as it was drawn last; `draw_still` brings it up to date.

    Raises
    ------
    InputError
        If there is no plot, or one of them already belongs to another view.
    """

    _esm = files("anova_report.explorer").joinpath("bridge.js").read_text("utf-8")
    _css = files("anova_report.explorer").joinpath("bridge.css").read_text("utf-8")
    _bokeh_version = traitlets.Unicode(bokeh.__version__).tag(sync=True)
    _themes = traitlets.Dict().tag(sync=True)

    fallback = Still("").tag(sync=True)
    captions = traitlets.Dict(
        key_trait=traitlets.Unicode(), value_trait=traitlets.Tuple(traitlets.Unicode(), traitlets.Unicode())
    ).tag(sync=True)
    hidden = traitlets.Tuple().tag(sync=True)
    summary = traitlets.Unicode("")

    def __init__(
        self,
        plots: Mapping[str, LayoutDOM] | LayoutDOM,
        *,
        captions: Mapping[str, tuple[str, str]] | None = None,
        still: Callable[[], str] | None = None,
        summary: str = "",
    ) -> None:
        self._plots = dict(plots) if isinstance(plots, Mapping) else {"plot": plots}
        self._document = _document_of(self._plots)
        self._pending: dict[object, DocumentPatchedEvent] | None = None
        self._is_open = self._shows_still = False
        self._still = still
        super().__init__(captions=dict(captions or {}), summary=summary)
        self._document.on_change_dispatch_to(self)
        self.on_msg(self._receive)
        _watch_cells()
        _views.add(self)

    @property
    def plots(self) -> Mapping[str, LayoutDOM]:
        """The plots by their names."""
        return dict(self._plots)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Send all changes made within as one message when it ends; what changes twice is sent once."""
        if self._pending is not None:
            yield
            return
        self._pending = {}
        try:
            with self.hold_sync():
                yield
        finally:
            changes, self._pending = self._pending, None
            self._send_changes(list(changes.values()))

    def change_still(self, still: Callable[[], str]) -> None:
        """Set how the still picture is drawn from now on, at once where a page shows it."""
        self._still = still
        if self._shows_still:
            self.draw_still()

    def draw_still(self) -> None:
        """Bring the still picture up to date."""
        if self._still is not None:
            still, self._still = self._still, None
            self.fallback = still()

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> Any:
        """Return the state of the widget, with its still picture up to date where that is asked for."""
        if key is None or "fallback" in ([key] if isinstance(key, str) else key):
            self.draw_still()
        return super().get_state(key, drop_defaults)

    def close(self) -> None:
        """Remove all views, and release the plots so that they can be shown elsewhere."""
        _views.discard(self)
        with suppress(AttributeError, KeyError):  # never made because of an error, or closed before
            self._is_open, self._still = False, None
            self._document.remove_on_change(self)
            self._document.clear()
        super().close()

    def __repr__(self) -> str:
        return self.summary or f"BokehView of {', '.join(self._plots)}"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        self.draw_still()
        found = super()._repr_mimebundle_(**kwargs)
        bundle, metadata = found if found is not None else ({}, {})
        return bundle | ({"text/html": self.fallback} if self.fallback else {}), metadata

    @traitlets.default("_themes")
    def _default_themes(self) -> dict[str, dict[str, str]]:
        return {
            "light": {**LIGHT, LIGHT_ONLY: "inline", DARK_ONLY: "none", "font": FONT},
            "dark": {**DARK, LIGHT_ONLY: "none", DARK_ONLY: "inline", "font": FONT},
        }

    @traitlets.validate("hidden", "captions")
    def _known_names(self, proposal: Mapping[str, Any]) -> Any:
        unknown = [name for name in proposal["value"] if name not in self._plots]
        if unknown:
            raise InputError(f"There is no plot {unknown[0]!r} in this view. Its plots are {', '.join(self._plots)}.")
        return proposal["value"]

    def _document_patched(self, event: DocumentPatchedEvent) -> None:
        """Send a change of the document, or keep it for the end of the batch; bokeh calls it by this name."""
        if isinstance(event, ModelChangedEvent) and event.attr == "subscribed_events":
            # Bokeh itself subscribes a model only to events whose callbacks were there when it joined its document.
            for name in event.model.subscribed_events:
                event.document.callbacks.subscribe(name, event.model)
        if self._pending is None:
            self._send_changes([event])
        else:
            self._pending.setdefault(changed_by(event), event)

    def _send_changes(self, changes: list[DocumentPatchedEvent]) -> None:
        if not self._is_open:
            return  # a view that opens later gets the document as it then is
        # The view whose page made a change is its setter, a name; other setters are Python's own.
        for view, group in groupby(changes, lambda event: event.setter if isinstance(event.setter, str) else None):
            message, buffers = make_patch(list(group))
            # The page that made a change has it already, and may have changed more since.
            self.send(message | {"except": view}, buffers)

    def _receive(self, _widget: object, message: Any, _buffers: object) -> None:
        match message:
            case {"kind": "open", "view": str(view), "library": bool(has_library)}:
                self._send_document(view, has_library=has_library)
            case {"kind": "still", "always": bool(always)}:
                self._shows_still = self._shows_still or always
                self.draw_still()
            case {"kind": "events", "view": str(view), "events": list(events)}:
                setter: Any = view  # any object will do; the changes carry it
                try:
                    allowed: Any = [event for event in events if _is_allowed(self._document, event)]
                    with self.batch():
                        if allowed:
                            self._document.apply_json_patch({"events": allowed}, setter=setter)
                finally:
                    self.send({"kind": "received", "view": view})

    def _send_document(self, view: str, *, has_library: bool) -> None:
        self._is_open = True
        document = {**self._document.to_json(deferred=False)}
        del document["config"]  # a place for bokeh's own notices, which are not used here
        message = {"kind": "document", "view": view, "names": list(self._plots), "document": document}
        self.send(message, [] if has_library else [packed_bokehjs()])


def _document_of(plots: Mapping[str, LayoutDOM]) -> Document:
    if not plots:
        raise InputError("There is no plot to show. Pass at least one.")
    document = Document()
    for name, plot in plots.items():
        try:
            document.add_root(plot)
        except RuntimeError as error:
            document.clear()
            raise InputError(
                f"The plot {name!r} is shown by another view. Close that view, or build a new plot."
            ) from error
    return document
