"""The few calls that lean on bokeh's inner workings, each against what bokeh's own reader makes of it."""

import gzip

from bokeh.core.serialization import Buffer, Serialized
from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent
from bokeh.models import ColumnDataSource, Range1d

from anova_report.explorer import bridge
from anova_report.figures.live import bokehjs


class Listening:
    """A document with a source and a range, and the changes it reports."""

    def __init__(self) -> None:
        self.source, self.range = ColumnDataSource({"x": [1.0]}), Range1d(0, 1)
        self.document, self.events = Document(), list[DocumentPatchedEvent]()
        for model in (self.source, self.range):
            self.document.add_root(model)
        self.twin = Document.from_json(self.document.to_json(deferred=False))
        self.document.on_change_dispatch_to(self)

    def _document_patched(self, event: DocumentPatchedEvent) -> None:
        self.events.append(event)

    def follow(self) -> tuple[object, object]:
        """Let the twin read the changes as a page would; return its column and the end of its range."""
        written = bridge.make_patch(self.events)
        buffers = [Buffer(ID(name), data) for name, data in zip(written.ids, written.buffers, strict=True)]
        self.twin.apply_json_patch(Serialized(dict(written.content), buffers))
        source, span = self.twin.roots
        return source.data["x"], span.end


def test_bokehjs_is_packed_whole_and_the_same_each_time():
    assert gzip.decompress(bridge.packed_bokehjs()).decode() == bokehjs()
    assert len(bridge.packed_bokehjs()) < 0.3 * len(bokehjs())


def test_a_reader_of_bokehs_own_understands_what_is_written():
    listening = Listening()
    listening.source.data = {"x": [1.0, 2.0]}
    listening.range.end = 7
    assert listening.follow() == ([1.0, 2.0], 7)


def test_changes_are_written_with_the_values_that_hold_when_they_are_written():
    listening = Listening()
    listening.range.end = 7
    first = listening.events[:]
    listening.range.end = 8
    listening.events = first
    assert listening.follow() == ([1.0], 8)


def test_what_has_been_told_is_the_same_attribute_of_the_same_model():
    listening = Listening()
    listening.range.end = 7
    listening.range.start = 1
    listening.range.end = 8
    listening.source.data["x"] = [5.0]
    listening.source.data = {"x": [6.0]}
    listening.source.data["x"] = [7.0]
    end, start, again, column, whole, column_again = listening.events
    assert not bridge.is_told(start, [end])
    assert bridge.is_told(again, [end, start])
    assert not bridge.is_told(whole, [column])
    assert bridge.is_told(column_again, [column])
    assert bridge.is_told(column_again, [whole])


def test_a_change_tells_who_made_it():
    listening = Listening()
    listening.range.end = 7
    change = {"kind": "ModelChanged", "model": {"id": listening.range.id}, "attr": "end", "new": 9}
    bridge.apply_events(listening.document, [change], "a view")
    assert [bridge.maker(event) for event in listening.events] == [None, "a view"]
    assert listening.range.end == 9
