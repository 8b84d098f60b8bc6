"""Figures as JSON: what is written comes back equal, and what comes from a file is checked before it is believed."""

import json
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytest

from anova_report.errors import StorageError
from anova_report.figures.curves import Atom
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis
from anova_report.figures.kinds import KINDS
from anova_report.figures.networks import Edge, Network
from anova_report.io.documents import plain, read
from tests.figures.samples import HOSTILE, SAMPLES, TEX


def through_json(figure: Figure) -> Any:
    return json.loads(json.dumps(plain(figure), allow_nan=False))


def curve() -> dict[str, Any]:
    """Write a curve as a file would hold it, to be spoilt."""
    return deepcopy(through_json(SAMPLES["curve"].rich))


def test_there_is_a_sample_of_every_kind():
    assert SAMPLES.keys() == KINDS.keys()


@pytest.mark.parametrize("which", ["rich", "edge"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_comes_back_equal(kind, which):
    figure = getattr(SAMPLES[kind], which)
    written = through_json(figure)
    assert written["kind"] == kind
    assert read(written, Figure) == figure


def test_a_force_does_not_come_back_as_the_waterfall_it_resembles():
    written = through_json(SAMPLES["force"].rich)
    assert type(read(written, Figure).data) is KINDS["force"]
    assert type(read(written | {"kind": "waterfall"}, Figure).data) is KINDS["waterfall"]


def test_only_json_types_are_written():
    def types(value: Any) -> set[type]:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return {type(value)}.union(*map(types, inner))

    for samples in SAMPLES.values():
        assert types(plain(samples.rich)) <= {dict, list, str, int, float, bool, type(None)}


def test_text_is_kept_as_it_is_and_not_interpreted():
    figure = read(through_json(SAMPLES["curve"].edge), Figure)
    assert figure.title == HOSTILE
    assert read({"head": [TEX, HOSTILE], "rows": [["\u202e", "\x00"]]}, Table).rows == (("\u202e", "\x00"),)


def test_a_whole_number_is_a_float_where_a_float_is_wanted():
    axis = read({"label": "x", "low": 0, "high": 1, "levels": [], "time": False}, Axis)
    assert axis == Axis("x", 0.0, 1.0)
    assert type(axis.low) is float


def test_fields_with_a_default_may_be_left_out():
    assert read({"label": "x", "low": 0.0, "high": 1.0}, Axis) == Axis("x", 0.0, 1.0)


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """Make a change of the entry at a path."""

    def change(written: dict[str, Any]) -> None:
        place: Any = written
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


ILL_TYPED = {
    "text for a number": put("data", "at", 0, value="1.0"),
    "true for a number": put("data", "at", 0, value=True),
    "nothing for a number": put("data", "value", 0, value=None),
    "NaN": put("data", "value", 0, value=float("nan")),
    "infinity": put("data", "x", "high", value=float("inf")),
    "a whole number beyond all floats": put("data", "value", 0, value=10**400),
    "a number for a list": put("data", "rug", value=3.0),
    "an object for a list": put("data", "rug", value={"0": 1.0}),
    "a list for an object": put("data", "x", value=["MedInc", 0.0, 1.0]),
    "a list for a number": put("data", "marked", value=[1.0]),
    "text for a list of numbers": put("data", "at", value="0123"),
    "one end of two": put("data", "supported", value=[1.0]),
    "three ends of two": put("data", "supported", value=[1.0, 2.0, 3.0]),
    "one for a truth value": put("data", "x", "time", value=1),
    "a number for text": put("title", value=7),
    "an object for text": put("alt", value={"text": "…"}),
    "a list for a key": put("key", value=["a"]),
    "a number in a table": put("table", "rows", 0, 0, value=1),
    "a row that is text": put("table", "rows", 0, value="row"),
    "a table that is none": put("table", value=None),
    "data that are none": put("data", value=None),
    "data that are a list": put("data", value=[]),
    "an unknown kind": put("kind", value="pie"),
    "a kind that is none": put("kind", value=None),
    "a kind that is a list": put("kind", value=["curve"]),
    "a kind that is an object": put("kind", value={"curve": 1}),
    "another kind's data": put("kind", value="levels"),
    "an unknown field": put("script", value="alert(1)"),
    "an unknown field of the data": put("data", "__class__", value="object"),
    "an unknown field of an axis": put("data", "y", "color", value="red"),
}


# Each of these ends in a bare error of Python instead of a StorageError.


@pytest.mark.parametrize("name", ILL_TYPED)
def test_what_is_not_of_its_type_is_refused(name):
    written = curve()
    ILL_TYPED[name](written)
    with pytest.raises(StorageError) as caught:
        read(written, Figure)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("field", ["key", "title", "alt", "table", "data", "kind"])
def test_a_figure_without_one_of_its_parts_is_refused(field):
    written = curve()
    del written[field]
    with pytest.raises(StorageError):
        read(written, Figure)


@pytest.mark.parametrize("field", ["x", "at", "density_edges"])
def test_data_without_a_field_are_refused_by_name(field):
    written = curve()
    del written["data"][field]
    with pytest.raises(StorageError, match=f"curve is not complete.*{field}"):
        read(written, Figure)


@pytest.mark.parametrize("document", [None, [], "curve", 3, True, [curve()]])
def test_a_document_that_is_no_object_is_refused(document):
    with pytest.raises(StorageError, match="which is not Figure"):
        read(document, Figure)


def test_the_message_says_where_and_what_without_repeating_all_of_it():
    written = curve()
    written["data"]["at"][2] = "x" * 100_000
    with pytest.raises(StorageError, match=r"curve\.at\[2\] is 'xxx") as caught:
        read(written, Figure)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("status", ["passed", "", None, 1, ["fine"]])
def test_a_status_must_be_one_of_those_there_are(status):
    written = deepcopy(through_json(SAMPLES["matrix"].rich))
    written["data"]["cells"][0]["status"] = status
    with pytest.raises(StorageError):
        read(written, Figure)


def test_what_may_be_absent_is_checked_where_it_is_there():
    written = curve()
    written["data"]["missing"] = None
    assert read(written, Figure).data.missing is None
    written["data"]["missing"] = {"value": 1.0, "lower": 0.0, "upper": 2.0, "share": 0.1}
    assert read(written, Figure).data.missing == Atom(1.0, 0.0, 2.0, 0.1)
    written["data"]["missing"] = {"value": 1.0}
    with pytest.raises(StorageError, match="not complete"):
        read(written, Figure)


def test_positions_are_whole_numbers():
    edge = {"first": 0, "second": 1, "value": 0.5}
    written = {"nodes": [], "edges": [edge], "signed": False, "label": ""}
    assert read(written, Network).edges == (Edge(0, 1, 0.5),)
    with pytest.raises(StorageError):
        read(written | {"edges": [edge | {"first": 0.0}]}, Network)


@dataclass(frozen=True)
class Holder:
    """Figures by name, as an audit holds them, beside values of any type."""

    figures: dict[str, Figure]
    anything: dict[str, Any]


def test_figures_inside_other_records_say_their_kind_and_come_back():
    holder = Holder({kind: samples.rich for kind, samples in SAMPLES.items()}, {"a": [1, {"b": None}]})
    written = json.loads(json.dumps(plain(holder)))
    assert {figure["kind"] for figure in written["figures"].values()} == set(KINDS)
    assert read(written, Holder) == holder


def test_a_spoilt_figure_inside_another_record_is_found():
    written = json.loads(json.dumps(plain(Holder({"one": SAMPLES["curve"].rich}, {}))))
    written["figures"]["one"]["data"]["at"][0] = None
    with pytest.raises(StorageError, match=r"curve\.at\[0\]"):
        read(written, Holder)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_do_not_belong_together_are_a_sentence_of_ours_or_do_no_harm(kind):
    whole = through_json(SAMPLES[kind].rich)
    for name in [name for name, value in whole["data"].items() if isinstance(value, list) and value]:
        cut = deepcopy(whole)
        del cut["data"][name][0]
        with suppress(StorageError):  # any other error fails the test
            read(cut, Figure).scene  # noqa: B018 it is made when it is asked for


def test_a_figure_whose_columns_do_not_belong_together_says_so():
    cut = through_json(SAMPLES["curve"].rich)
    del cut["data"]["value"][0]
    with pytest.raises(StorageError, match=r"The columns of a curve differ in length: 79, 80\."):
        read(cut, Figure).scene  # noqa: B018 it is made when it is asked for
