"""Short runs of what `make fuzz` and `make kills` do at length."""

from hypothesis import given, settings

from benchmarks import fuzz, kills


def test_hostile_cases_end_in_a_result_or_a_sentence(tmp_path):
    found = fuzz.run(100, 1, tmp_path)
    assert found.counts.total() >= 100
    assert found.wrong == []


def test_tables_are_drawn_with_every_number_of_outputs_every_order_and_what_lies_beside_rows(tmp_path):
    drawn = set()

    def note(_: object, n_outputs: int, max_order: int, beside: dict[str, object]) -> None:
        drawn.add((n_outputs, max_order, *beside))

    strategies = fuzz.checks(fuzz.Fuzz(tmp_path, 0))["tables"][1]
    settings(max_examples=300, database=None, deadline=None, derandomize=True)(given(*strategies)(note))()
    assert [{case[at] for case in drawn} for at in (0, 1)] == [{1, 2, 3, 4, 5}, {1, 2, 3}]
    assert {name for case in drawn for name in case[2:]} == {"sample_weight", "groups", "time"}


def test_a_killed_command_leaves_nothing_half_written():
    assert kills.main(["--kills", "2", "--only", "compare", "mail"]) == 0
