"""Feeds hostile tables, models, configurations, command lines, documents and mail fields to everything that reads.

`python -m benchmarks.fuzz --cases 10000` draws cases from Hypothesis and from damaged documents, by a seed, for at most
40 minutes. Every case must end in a result or in an error of `anova_report.errors`: no raw error, no warning, no
verdict "pass" where the explanation reproduces nothing, and no file touched but the command's own. Prints how many
cases of each kind there were, and every one that went wrong.
"""

import argparse
import contextlib
import io
import json
import math
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from email import message_from_bytes, policy
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.cli import main as command_line
from anova_report.errors import AnovaReportError, ExtrapolationWarning
from anova_report.io import sinks
from anova_report.io.documents import plain, read
from anova_report.io.files import write_text
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.comparison.build_comparison import build_comparison
from anova_report.report.comparison.comparison import ComparisonPage, render_comparison
from anova_report.report.jobs.options import Job
from anova_report.report.jobs.yaml_files import read_config
from anova_report.report.mail import compose
from anova_report.report.notebooks import ledger
from anova_report.report.notebooks.notebook_summary import Summary
from anova_report.report.notebooks.runs import read_runs
from anova_report.report.page.render import render, write_report
from benchmarks import fuzz_options
from benchmarks.hostile_cases import (
    CODES,
    HOSTILE,
    beside,
    changes,
    commands,
    mails,
    numbers,
    tables,
    texts,
    values,
    yaml_changes,
)
from benchmarks.hostile_options import (
    asked,
    expressions,
    meant_expressions,
    signed_options,
    signed_table,
    written,
)
from benchmarks.mutations import damaged

# Of a hundred cases so many are of each kind, and at least one in every round: documents take milliseconds, commands a
# second, and a model in a process of its own, or on workers, several.
PARTS = {"documents": 30, "mails": 8, "configurations": 4, "yaml": 4, "commands": 6, "files": 4, "folders": 3}
PARTS |= {"expressions": 6, "injections": 6, "options": 6, "signed": 5, "tables": 10, "models": 8}
PARTS |= {"children": 0, "workers": 0}
ROUND = 500  # cases after which time is looked at, and counts are told
SMALL = "--max-order 1 --top-mains 1 --top-pairs 0 -o new.html"  # audits that take a second
TERRIBLE = 0.3  # held-out R² below which nothing may pass


class Fuzz:
    """Runs cases, counts them, and keeps what went wrong."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed, self.random = folder, seed, Random(seed)  # noqa: S311 no secret
        self.counts: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._prepare()

    def _prepare(self) -> None:
        rng = np.random.default_rng(self.seed)
        X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.choice(["x", "y"], size=150), "c": rng.normal(size=150)})
        y = (X["a"] * X["c"] + (X["b"] == "x")).to_numpy()
        fit = FunctionalANOVA(random_state=0, progress=False).fit(X, y)
        dec = fit.decomposition_
        audit = build_audit(dec, X, predictions=y, progress=False)
        paths = {name: self.folder / f"{name}.json" for name in ("decomposition", "audit", "comparison")}
        dec.save(paths["decomposition"])
        audit.save(paths["audit"])
        build_comparison(dec, dec, names=("A", "B")).save(paths["comparison"])
        self.page = write_report(audit, self.folder / "page.html")
        X.assign(p=y).to_csv(self.folder / "data.csv", index=False)
        self.signed = signed_table(self.seed)
        self.signed.to_csv(self.folder / "signed.csv", index=False)
        entry = ledger.LedgerEntry("a", "a", "done", "f", {"d": "1"}, {}, summary=Summary.of(audit))
        write_text(self.folder / ledger.LEDGER, ledger.text({"a": entry}))
        self.documents = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}
        self.documents["ledger"] = json.loads((self.folder / ledger.LEDGER).read_text(encoding="utf-8"))
        self.documents["summary"] = json.loads(json.dumps(plain(Summary.of(audit))))
        self.n_scripts = render(audit).count("<script")
        self.untouched = {path: path.read_bytes() for path in self.folder.iterdir()}

    def clear(self) -> None:
        """Remove what the last command wrote."""
        for name in written(self.folder):
            (self.folder / name).unlink()

    @contextlib.contextmanager
    def case(self, kind: str, what: Any) -> Iterator[None]:
        """Count a case; let errors of ours pass, and note all others and every warning."""
        self.counts[kind] += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ExtrapolationWarning)  # hostile rows lie beyond every fit
                yield
        except AnovaReportError:
            self.refused[kind] += 1
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}:{where.lineno}"
            self.wrong.append(f"{kind}: {type(error).__name__}: {error!s:.200} at {place} for {what!r:.300}")
            print(sinks.clean(self.wrong[-1]), file=sys.stderr, flush=True)

    def document(self) -> None:
        """Damage a saved document, load it, and make of it what commands make of it."""
        name = self.random.choice(list(self.documents))
        written = damaged(self.documents[name], self.random)
        place = (
            self.folder
            / ("other" if name == "ledger" else ".")
            / (ledger.LEDGER if name == "ledger" else "damaged.json")
        )
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(written), encoding="utf-8")
        makers: dict[str, Callable[[Path], Any]] = {
            "decomposition": lambda path: _use(Decomposition.load(path)),
            "audit": lambda path: _gate(Audit.load(path)),
            "comparison": lambda path: render_comparison(ComparisonPage.load(path)),
            "ledger": lambda path: ledger.load(path.parent),
            "summary": lambda _: str(read(written, Summary)),
        }
        with self.case(f"documents ({name})", "a change"):
            makers[name](place)

    def table(self, frame: pd.DataFrame, n_outputs: int, max_order: int, beside: dict[str, list[Any]]) -> None:
        """Decompose a table, its outputs additive, and hold verdicts against how much is reproduced."""
        with self.case("tables", (n_outputs, max_order, beside, frame.dtypes.to_dict())):
            numbers_only = frame.select_dtypes("number").fillna(0.0).to_numpy(dtype=float)
            known = numbers_only if numbers_only.shape[1] else np.arange(len(frame), dtype=float)[:, None]
            outputs = known[:, np.arange(n_outputs) % known.shape[1]]
            fit = FunctionalANOVA(max_order=max_order, random_state=0, progress=False)
            _use(fit.fit(frame, outputs, **_for_rows(beside, len(frame))).decomposition_)

    def model(
        self,
        frame: pd.DataFrame,
        predicted: Any,
        n_outputs: int,
        max_order: int,
        beside: dict[str, list[Any]],
        more: dict[str, Any],
    ) -> None:
        """Ask a model that returns anything at all, at its rows and at recombined ones, under their law or another."""

        def ask(rows: pd.DataFrame) -> Any:
            whole = isinstance(predicted, np.ndarray) and predicted.size
            return np.resize(predicted, (len(rows), n_outputs)) if whole else predicted

        with self.case("models", (n_outputs, max_order, beside, more, predicted)):
            options = _for_rows(beside, len(frame)) | more
            _use(explain(ask, frame, max_order=max_order, progress=False, **options))

    def yaml(self, document: Any, changes: list[tuple[int, str]]) -> None:
        """Read YAML that was written from values, with something put into its text."""
        text = yaml.safe_dump(document, allow_unicode=True)
        for place, inserted in changes:
            at = place % (len(text) + 1)
            text = text[:at] + inserted + text[at:]
        (self.folder / "options.yaml").write_text(text, encoding="utf-8", errors="surrogatepass")
        with self.case("yaml", text):
            Job.from_config(read_config(str(self.folder / "options.yaml")))
        with self.case("yaml", text):
            read_runs(self.folder / "options.yaml", self.folder / "out")

    def parts(self, frames: list[pd.DataFrame], damage: tuple[int, bytes] | None, n_outputs: int) -> None:
        """Fit a folder of Parquet files, which may have other columns each, or be damaged."""
        folder = self.folder / "parts"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for at, frame in enumerate(frames):
            with contextlib.suppress(Exception):  # what no writer of Parquet takes
                table = pa.Table.from_pandas(frame.set_axis(frame.columns.map(str), axis=1), preserve_index=False)
                for output in range(n_outputs):
                    table = table.append_column(f"p{output}", pa.array(np.arange(len(frame), dtype=float) ** output))
                pq.write_table(table, folder / f"{at}.parquet")
        written = sorted(folder.iterdir())
        if damage and written:
            place, piece = damage
            content = written[-1].read_bytes()
            at = place % len(content)
            written[-1].write_bytes(content[:at] + piece + content[at + len(piece) :])
        with self.case("folders", (damage, [frame.dtypes.to_dict() for frame in frames])):
            names = [f"p{output}" for output in range(n_outputs)]
            _use(FunctionalANOVA(1, random_state=0, progress=False).fit(folder, names).decomposition_)

    def child(self, code: str, options: list[str]) -> None:
        """Audit a model that does anything at all, in a process of its own; it opens no gate."""
        (self.folder / "hostile.py").write_text(HOSTILE.format(code=code), encoding="utf-8")
        words = f"audit data.csv --model hostile:predict --exclude p --ask 0 {SMALL} --fail-on fail --model-timeout 60"
        self.command([*words.split(), *options], "children")

    def worker(self, code: str, n_outputs: int) -> None:
        """Audit a folder by such a model on a worker of Dask."""
        (self.folder / "hostile.py").write_text(HOSTILE.format(code=code), encoding="utf-8")
        folder = self.folder / "worked"
        folder.mkdir(exist_ok=True)
        rows = pd.DataFrame(np.random.default_rng(n_outputs).normal(size=(90, 2)), columns=["a", "b"])
        rows.to_parquet(folder / "0.parquet")
        words = f"audit worked --model hostile:predict --ask 0 --workers 1 {SMALL} --fail-on fail --model-timeout 60"
        self.command(words.split(), "workers")

    def configuration(self, options: dict[str, Any], text: str) -> None:
        """Read options of any kind, from a mapping, from a file, and as the run of a batch."""
        with self.case("configurations", options):
            Job.from_config({"data": "data.csv", "prediction": "p"} | options)
        (self.folder / "options.yaml").write_text(text, encoding="utf-8", errors="replace")
        with self.case("configurations", text):
            Job.from_config(read_config(str(self.folder / "options.yaml")))
        (self.folder / "runs.yaml").write_text(json.dumps({"runs": [{"name": "a"} | options]}), encoding="utf-8")
        with self.case("configurations", options):
            read_runs(self.folder / "runs.yaml", self.folder / "out")

    def mail(self, fields: dict[str, Any]) -> None:
        """Write a mail; it may have no header and no line that was not asked for."""
        with self.case("mails", fields):
            made = compose(self.page, max_size=50, **{"to": ["a@b.org"], "sender": "a@b.org"} | fields)
            found = message_from_bytes(made.as_bytes(), policy=policy.default)
            allowed = ["Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To", "X-Mailer"]
            if sorted(found.keys()) != allowed or any("\n" in str(value) for value in found.values()):
                raise AssertionError(f"headers {found.keys()}")

    def file(self, changes: list[tuple[str, int, int, str]]) -> None:
        """Audit a damaged CSV file by the command line."""
        cells = [line.split(",") for line in (self.folder / "data.csv").read_text(encoding="utf-8").splitlines()]
        for what, row, column, text in changes:
            line = cells[row % len(cells)]
            match what:
                case "header":
                    cells[0][column % len(cells[0])] = text
                case "column":
                    for other in cells[1 : 2 + row]:
                        other[column % len(other)] = text
                case "short":
                    del line[1 + column :]
                case _:
                    line[column % len(line)] = text
        written = "\n".join(",".join(line) for line in cells)
        (self.folder / "damaged.csv").write_text(written, encoding="utf-8", errors="surrogatepass")
        words = "damaged.csv --prediction p --max-order 1 --top-mains 1 --top-pairs 0 -o new.html"
        self.command(["audit", *words.split()], "files")

    def command(self, words: list[str], kind: str) -> None:
        """Run a command; it returns an exit code, prints nothing that a terminal obeys, and leaves all inputs alone."""
        out, err = io.StringIO(), io.StringIO()
        self.clear()
        with self.case(kind, words), contextlib.chdir(self.folder):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    code = command_line(words)
                except SystemExit as left:  # of argparse
                    code = left.code if isinstance(left.code, int) else 99
            said = out.getvalue() + err.getvalue()
            if code not in (0, 1, 2, 3) or "unexpectedly" in said or sinks.terminal(said) != said:
                raise AssertionError(f"exit code {code}: {said}")
            changed = [path.name for path, before in self.untouched.items() if path.read_bytes() != before]
            made = written(self.folder) if code > 1 else []
            if changed or made:
                raise AssertionError(f"exit code {code}, changed {changed}, wrote {made}: {said:.300}")
            self.refused[kind] += code > 1


def _for_rows(beside: dict[str, list[Any]], n_rows: int) -> dict[str, Any]:
    """Repeat what was drawn until there is one value for each row."""
    return {name: [values[at % len(values)] for at in range(n_rows)] for name, values in beside.items()}


def _use(dec: Decomposition) -> None:
    """Do with a decomposition what every audit does, and check the gate."""
    for output in range(len(dec.output_names)):
        found, fidelity = measures.findings(dec, output=output), measures.fidelity(dec, output)
        if found.verdict == "pass" and fidelity.best < TERRIBLE:
            raise AssertionError(f"a pass with {fidelity.best:.2f} reproduced")
        measures.variance_shares(dec, output)
    empty = pd.DataFrame([[None] * len(dec.features)], columns=pd.Index(dec.feature_names, dtype=object))
    dec.predict(empty.astype(object))


def _gate(audit: Audit) -> None:
    """Draw a page, and check the gate."""
    failed = any(item.status == "fail" for output in audit.outputs for item in output.findings)
    if failed and audit.verdict != "fail":
        raise AssertionError("a failed finding passed")
    render(audit)


def checks(fuzz: Fuzz) -> dict[str, tuple[Callable[..., None], tuple[st.SearchStrategy[Any], ...]]]:
    """Say what is checked of each kind but documents, and how its cases are drawn."""
    names = st.sampled_from([*Job.__dataclass_fields__, "nonsense"])
    keys = st.dictionaries(names, values, max_size=3)
    sizes = st.integers(1, 5), st.sampled_from([1, 2, 3])  # outputs, max_order
    damage = st.none() | st.none() | st.tuples(st.integers(0, 5000), st.binary(min_size=1, max_size=9))
    options = st.lists(st.sampled_from(["--quiet", "--json", "--traceback"]), unique=True)
    predicted = values | st.lists(numbers, max_size=60).map(np.array)
    return {
        "mails": (fuzz.mail, (mails(),)),
        "configurations": (fuzz.configuration, (keys, texts)),
        "commands": (fuzz.command, (commands(), st.just("commands"))),
        "files": (fuzz.file, (changes(),)),
        "yaml": (fuzz.yaml, (keys | values, yaml_changes())),
        "folders": (fuzz.parts, (st.lists(tables(), min_size=1, max_size=3), damage, sizes[0])),
        "expressions": (lambda drawn: fuzz_options.check_meaning(fuzz, drawn), (meant_expressions(),)),
        "injections": (lambda text: fuzz_options.check_expression(fuzz, text), (expressions(),)),
        "options": (lambda given: fuzz_options.check_reading(fuzz, given), (signed_options(),)),
        "signed": (lambda given: fuzz_options.check_signed(fuzz, given), (signed_options(),)),
        "tables": (fuzz.table, (tables(), *sizes, beside())),
        "models": (fuzz.model, (tables(), predicted, *sizes, beside(exposure=True), st.just({}) | asked())),
        "children": (fuzz.child, (st.sampled_from(CODES), options)),
        "workers": (fuzz.worker, (st.sampled_from(CODES), sizes[0])),
    }


def run(n_cases: int, seed: int, folder: Path, minutes: float = math.inf, only: Sequence[str] = ()) -> Fuzz:
    """Draw and run cases in rounds until there are so many, or time is up; the same seed gives the same ones."""
    fuzz, end = Fuzz(folder, seed), time.monotonic() + 60 * minutes
    drawn = checks(fuzz)
    for start in range(0, n_cases, ROUND):
        if time.monotonic() > end:
            break
        for kind, share in PARTS.items():
            if only and kind not in only:
                continue
            wanted = max(1, min(ROUND, n_cases - start) * share // 100)
            if kind == "documents":
                for _ in range(wanted):
                    fuzz.document()
                continue
            check, strategies = drawn[kind]
            limits = settings(
                max_examples=wanted,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            seeded(10**6 * seed + start)(limits(given(*strategies)(check)))()
        print(f"{fuzz.counts.total():,} cases, {len(fuzz.wrong)} wrong", file=sys.stderr, flush=True)
    return fuzz


def main(arguments: list[str] | None = None) -> int:
    """Run cases and print counts; the exit code says whether all was well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=40, help="after which no further round begins")
    parser.add_argument("--only", nargs="*", choices=list(PARTS), default=(), help="kinds of cases; all by default")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        fuzz = run(options.cases, options.seed, Path(folder), options.minutes, options.only)
    for kind, count in sorted(fuzz.counts.items()):
        print(f"{kind:26} {count:6} cases, {fuzz.refused[kind]:6} refused in a sentence")
    print(f"{'all':26} {fuzz.counts.total():6} cases, {len(fuzz.wrong):6} wrong")
    for sentence in dict.fromkeys(fuzz.wrong):
        print(sinks.clean(sentence))
    return int(bool(fuzz.wrong))


if __name__ == "__main__":
    sys.exit(main())
