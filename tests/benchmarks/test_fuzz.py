"""Short runs of what `make fuzz` and `make kills` do at length."""

from benchmarks import fuzz, kills


def test_hostile_cases_end_in_a_result_or_a_sentence(tmp_path):
    found = fuzz.run(100, 1, tmp_path)
    assert found.counts.total() >= 100
    assert found.wrong == []


def test_a_killed_command_leaves_nothing_half_written():
    assert kills.main(["--kills", "2", "--only", "compare", "mail"]) == 0
