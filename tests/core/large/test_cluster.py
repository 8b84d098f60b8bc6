"""Dask clusters: the bits of the table with any number of workers, also when one is killed, and faults that are named.

Workers are processes of their own, reached over TCP; their constants are those of a test.
"""

import os
import signal
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster, WorkerPlugin

from anova_report import Decomposition, FunctionalANOVA, explain
from anova_report.core.large import dask_cluster, spans, survey
from anova_report.core.large.dask_cluster import local_workers
from anova_report.errors import InputError, ModelError, RunError
from tests.core.large.large_tables import bits, few_are_many, fit, mixed_table

INPUTS = ["x", "level", "z"]


@pytest.fixture(autouse=True, scope="module")
def large() -> Iterator[None]:
    with few_are_many():
        yield


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with local_workers(2, processes=True) as cluster:
        yield cluster


def test_a_worker_whose_end_is_told_twice_is_no_error(cluster):
    cluster._update_worker_status("remove", "tcp://127.0.0.1:1")  # in Dask a KeyError, which would end the run


class FewAreMany(WorkerPlugin):
    """Let workers, also those that start later, number row blocks as the tests do."""

    def setup(self, worker: Any) -> None:  # noqa: ARG002 as the protocol asks
        """Change the constants of the worker's process."""
        for module in (spans, dask_cluster, survey):
            module.SPAN_BLOCKS = 1
        for module in (spans, dask_cluster):
            module.TOGETHER = 2


@pytest.fixture
def client(cluster) -> Iterator[Client]:
    with Client(cluster) as client:
        client.register_plugin(FewAreMany())
        yield client


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table()


@pytest.fixture(scope="module")
def expected(table) -> Decomposition:
    return fit(table[INPUTS], table["prediction"])


def frame(table: pd.DataFrame) -> dd.DataFrame:
    """Cut a table unevenly; one partition is empty, and the last alone holds missing values."""
    edges = [0, 5000, 5000, 17_000, 33_000, len(table)]
    return dd.concat(
        [dd.from_pandas(table.iloc[start:stop], npartitions=1, sort=False) for start, stop in pairwise(edges)]
    )


def test_partitions_give_the_bits_of_the_table_with_any_number_of_workers(client, cluster, table, expected):
    for n_workers in (1, 3, 2):
        cluster.scale(n_workers)
        client.wait_for_workers(n_workers)
        assert bits(fit(frame(table), "prediction")) == bits(expected)


def test_without_a_cluster_partitions_are_read_one_by_one(table, expected):
    assert dask_cluster.current_client() is None
    assert bits(fit(frame(table), "prediction")) == bits(expected)


@pytest.mark.usefixtures("client")
def test_arrays_with_predictions_beside_them_give_the_bits_of_the_table():
    X = np.random.default_rng(2).normal(size=(20_000, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    found = fit(da.from_array(X, chunks=(6000, 2)), da.from_array(y, chunks=6000))
    assert bits(found) == bits(fit(X, y))


def test_a_killed_worker_and_one_that_joins_change_no_bit(client, cluster, table, expected, monkeypatch):
    passes: list[str] = []
    watch = dask_cluster.ClusterSpans._watch

    def killing(self, marks, name) -> None:
        passes.append(name)
        if len(passes) == 3:  # rows lie on the workers as codes, and some of them are lost
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        if len(passes) == 4:
            cluster.scale(3)
        watch(self, marks, name)

    monkeypatch.setattr(dask_cluster.ClusterSpans, "_watch", killing)
    assert bits(fit(frame(table), "prediction")) == bits(expected)
    assert len(passes) > 5
    cluster.scale(2)


def test_a_model_is_asked_on_workers_only(client, table, tmp_path):
    log = str(tmp_path / "asked")

    def model(rows: pd.DataFrame) -> np.ndarray:
        with Path(log).open("a") as file:
            file.write(f"{os.getpid()} {len(rows)}\n")
        return np.nan_to_num(rows["x"]) + rows["z"].to_numpy() * (rows["level"] == "b").to_numpy()

    rows = table[INPUTS]
    found = explain(model, frame(rows), random_state=0, progress=False)
    asked = [line.split() for line in Path(log).read_text().splitlines()]
    assert {int(pid) for pid, _ in asked} <= set(client.run(os.getpid).values())
    assert sum(int(size) for _, size in asked) == len(rows) + found.asking.n_asked
    assert bits(found) == bits(explain(model, rows, random_state=0, progress=False))


@pytest.mark.usefixtures("client")
def test_a_model_that_fails_in_a_partition_names_it(table):
    def model(rows: pd.DataFrame) -> np.ndarray:
        if (rows["level"] == "c").any():
            raise ValueError("no such level")
        return rows["z"].to_numpy()

    with pytest.raises(ModelError, match=r"Partition [34]: The model failed .*no such level"):
        explain(model, frame(table[INPUTS]), progress=False)


@pytest.mark.usefixtures("client")
def test_partitions_of_other_columns_are_named(table):
    wrong = frame(table).map_partitions(
        lambda part: part.rename(columns={"x": "y"}) if len(part) == 16_000 else part, meta=table.iloc[:0]
    )
    with pytest.raises(InputError, match=r"Partition 3 cannot be made .*Missing: \['x'\]"):
        fit(wrong, "prediction")


@pytest.mark.usefixtures("client")
def test_a_file_that_vanishes_is_no_closed_client(table, tmp_path):
    path = tmp_path / "part.pickle"
    table.to_pickle(path)
    lazy = dd.from_map(pd.read_pickle, [path], meta=table.iloc[:0])
    path.unlink()
    with pytest.raises(InputError, match=r"Partition 0 cannot be made \(FileNotFoundError"):
        fit(lazy, "prediction")


def test_workers_that_die_of_a_piece_of_work_are_a_failure_of_the_run(table):
    def make(_: int) -> pd.DataFrame:
        os._exit(1)

    with local_workers(1) as cluster, Client(cluster), pytest.raises(RunError, match="workers died of the same piece"):
        fit(dd.from_map(make, [0], meta=table.iloc[:0]), "prediction")


def test_a_closed_client_ends_the_run_with_a_sentence(cluster, table, monkeypatch):
    closing = Client(cluster)
    watch = dask_cluster.ClusterSpans._watch

    def close(self, marks, name) -> None:
        closing.close()
        watch(self, marks, name)

    monkeypatch.setattr(dask_cluster.ClusterSpans, "_watch", close)
    with closing.as_current(), pytest.raises(RunError, match="was closed, or lost its scheduler"):
        fit(frame(table), "prediction")


@pytest.mark.usefixtures("client")
def test_empty_collections_are_refused(table):
    with pytest.raises(InputError, match="all its partitions are empty"):
        fit(dd.from_pandas(table.iloc[:0], npartitions=1), "prediction")
    with pytest.raises(InputError, match="X has 2 partitions and y has 1"):
        FunctionalANOVA().fit(da.zeros((10, 2), chunks=(5, 2)), da.zeros(10, chunks=10))


def test_what_is_evaluated_of_a_collection_is_a_collection(client, table, expected):
    rows = table[INPUTS]
    lazy = frame(rows)
    for evaluate in (expected.predict, expected.components, expected.shapley, lambda X: expected.component("x", X)):
        found = evaluate(lazy)
        assert isinstance(found, da.Array)
        np.testing.assert_array_equal(client.compute(found).result(), evaluate(rows))


class Product:
    """A model that names the columns it takes."""

    feature_names_in_ = ("x0", "x1")

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        return (rows["x0"] * rows["x1"]).to_numpy()


def test_a_table_larger_than_the_memory_of_the_workers_is_explained():
    def make(seed: int) -> pd.DataFrame:
        values = np.random.default_rng(seed).normal(size=(10_000, 300))
        return pd.DataFrame(values, columns=[f"x{at}" for at in range(300)])

    n_parts, limit, meta = 26, 600e6, make(0)
    assert n_parts * meta.memory_usage(deep=True).sum() > limit
    lazy = dd.from_map(make, range(n_parts), meta=meta.iloc[:0])
    with local_workers(1, memory_limit=limit) as cluster, Client(cluster) as client:
        client.register_plugin(FewAreMany())
        found = explain(Product(), lazy, random_state=0, progress=False)
    assert found.feature_names == ("x0", "x1")
    assert found.in_sample.n_rows == n_parts * len(meta)
    assert 1 - found.held_out.squared_gap[0] / found.in_sample.seconds[:, :, 0].sum() > 0.99
