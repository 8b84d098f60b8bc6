"""The README as a new user reads it: its lines are run as they are written, and the page they make is complete."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from email import message_from_bytes, policy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier

from anova_report import FunctionalANOVA, cli, explain
from anova_report.cli.parser import parser
from anova_report.explorer import Explorer
from anova_report.report import Audit, mail, write_report
from tests.report.samples import sample_audit
from tests.report.smtp_server import Mailbox, at_loopback, make_certificate, served

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)
PYTHON = [lines for language, lines in BLOCKS if language == "python"]
LINES = [line for _, lines in BLOCKS for line in lines.splitlines()]
COMMANDS = [shlex.split(line, comments=True)[1:] for line in LINES if line.startswith("anova-report ")]
MAILS, OTHERS = ([command for command in COMMANDS if (command[0] == "mail") is is_mail] for is_mail in (True, False))
PAPERMILL = [
    shlex.split(line, comments=True) for line in re.findall(r"(?:^|`)(papermill .*?)(?=`|$)", README, re.MULTILINE)
]
N_ROWS = 300


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """Draw three features of clients."""
    rng = np.random.default_rng(0)
    income = rng.normal(size=N_ROWS)
    region = rng.choice(["north", "south"], N_ROWS)
    return pd.DataFrame({"income": income, "age": income + rng.normal(size=N_ROWS), "region": region})


@pytest.fixture(scope="module")
def place(rows, tmp_path_factory) -> Path:
    """Write the tables, the model and the decompositions that the commands name."""
    xgboost = pytest.importorskip("xgboost", reason="pip install 'anova_report[models]'")
    folder = tmp_path_factory.mktemp("readme")
    numbers = rows[["income", "age"]]
    truth = rows["income"] * rows["age"] + rows["age"] > 0
    model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(numbers, truth)
    model.save_model(folder / "model.ubj")
    scored = rows.assign(score=rows["income"] + rows["income"] * (rows["region"] == "south"))
    scored.to_csv(folder / "clients.csv", index=False)
    scored.assign(patient=np.arange(N_ROWS) // 3).to_csv(folder / "visits.csv", index=False)
    scored.assign(exposure=1 + np.arange(N_ROWS) % 4).to_csv(folder / "survey.csv", index=False)
    numbers.assign(y=truth, client=[f"C{row}" for row in range(N_ROWS)]).to_parquet(folder / "data.parquet")
    (folder / "clients").mkdir()
    numbers.assign(y=truth).to_parquet(folder / "clients" / "part-0.parquet")
    rows.to_csv(folder / "rows.csv", index=False)
    runs = "defaults: {prediction: score, max_order: 1}\nruns:\n- {name: clients, data: clients.csv}\n"
    (folder / "runs.yaml").write_text(runs, encoding="utf-8")
    for name, factor in (("A.json", 1.0), ("B.json", 2.0)):
        predictions = factor * rows["income"] + rows["age"]
        FunctionalANOVA(max_order=1, progress=False).fit(rows, predictions).decomposition_.save(folder / name)
    return folder


def test_three_lines_of_python_give_a_whole_page_and_an_explorer(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (lines,) = PYTHON
    numbers = rows[["income", "age"]]
    model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(numbers, rows["region"] == "south")
    names = {"model": model, "X": numbers}
    *before, last = lines.strip().splitlines()
    exec("\n".join(before), names)  # noqa: S102 the README's own lines
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    for part in ("GradientBoostingClassifier (scikit-learn ", "Largest gap", "Predictions against explained values"):
        assert part in page
    assert "not given" not in page  # the digest of the predictions
    explorer = eval(last.partition("#")[0], names)  # noqa: S307 likewise
    assert isinstance(explorer, Explorer)
    assert explorer.views.model is model
    assert explorer.views.rows.predictions is not None
    explorer.close()


def test_the_lines_for_dask_explain_a_collection_on_a_cluster(place, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="pip install 'anova_report[dask]'")
    monkeypatch.chdir(place)
    (lines,) = [lines for language, lines in BLOCKS if language == "py"]
    names = {"model": lambda frame: frame["income"] * frame["age"], "explain": explain}
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        exec(lines.replace("tcp://scheduler:8786", cluster.scheduler_address), names)  # noqa: S102 the README's own lines
        names["client"].close()
    assert names["dec"].in_sample.n_rows == N_ROWS
    assert (0, 1) in names["dec"].terms


@pytest.mark.parametrize("command", OTHERS, ids=" ".join)
def test_every_command_runs_as_it_is_written(command, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    if "ebm" in " ".join(command):
        pytest.importorskip("interpret", reason="pip install 'anova_report[ebm]'")
        pytest.importorskip("shap", reason="pip install 'anova_report[shap]'")
    if command[0] == "render":
        assert cli.main(["audit", "clients.csv", "--prediction", "score", "--save", "saved.json", "--quiet"]) == 0
    assert cli.main(command) == (1 if "--fail-on" in command and "(pass)" not in capsys.readouterr().out else 0)
    assert not capsys.readouterr().err


@pytest.mark.parametrize("command", MAILS, ids=" ".join)
def test_the_mail_goes_to_the_server_that_is_named(command, tmp_path, monkeypatch, capsys):
    """Only the name and the port of that server are ours: the network knows no example.org."""
    options = parser().parse_args(command)
    certificate, context = make_certificate(tmp_path, name=options.smtp)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr(socket, "getaddrinfo", at_loopback(options.smtp))
    monkeypatch.chdir(tmp_path)
    written = write_report(sample_audit(), options.page)
    with served(Mailbox(), tls_context=context, require_starttls=True) as mailbox:
        monkeypatch.setitem(mail.PORTS, options.security, mailbox.port)
        assert cli.main(command) == 0
    [envelope] = mailbox.received
    assert envelope.rcpt_tos == options.to
    assert mailbox.encrypted == [True]
    found = message_from_bytes(envelope.content, policy=policy.default)
    assert next(found.iter_attachments()).get_payload(decode=True) == written.read_bytes()
    assert not capsys.readouterr().err


@pytest.mark.parametrize("command", PAPERMILL, ids=" ".join)
def test_the_stock_papermill_runs_the_notebook_as_it_is_written(command, place):
    name, notebook, executed = command[:3]
    (place / notebook).parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / notebook, place / notebook)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    client = Path(sys.executable).with_name(name)
    ended = subprocess.run(  # noqa: S603 the README's own line
        [client, *command[1:]], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert (place / executed).is_file()
    assert f"{N_ROWS} rows" in (place / "audit.html").read_text(encoding="utf-8")


def test_the_lines_that_are_looked_for_are_there():
    assert all((PYTHON, OTHERS, MAILS, PAPERMILL))


def test_a_page_of_the_command_line_is_complete(place, monkeypatch):
    monkeypatch.chdir(place)
    asked = ["audit", "data.parquet", "--model", "model.ubj", "--target", "y", "--id", "client", "--save", "asked.json"]
    assert cli.main([*asked, "--quiet"]) == 0
    page = Audit.load("asked.json")
    assert page.subject.model.startswith("Booster (XGBoost ")
    assert page.subject.model.endswith(" from model.ubj")
    assert len(page.provenance.predictions_digest) == 64
    assert page.outputs[0].scatter is not None
