"""A real JupyterLab, without a network, in a real browser: started, driven, and looked at."""

import importlib.util
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError

from tests.browser import Chromium, require

ROOT = Path(__file__).parents[2]
SECONDS = 60  # for a start on a busy machine
UNWANTED = {
    "@jupyterlab/apputils-extension:announcements": True,  # asks a server for news
    "@jupyterlab/debugger-extension": True,  # reports an error of its own when a kernel is restarted
}
READY = """() => {
    const found = window.jupyterapp?.shell?.currentWidget?.sessionContext;
    return found?.isReady && found.session?.kernel?.status === "idle";
}"""
IDLE = """() => {
    const panel = window.jupyterapp.shell.currentWidget;
    const cells = [...panel.content.widgets].filter(cell => cell.model.type === "code");
    const isDone = cells.every(cell => cell.model.executionCount !== null);
    return isDone && panel.sessionContext.session?.kernel?.status === "idle";
}"""
RAISED = """() => [...window.jupyterapp.shell.currentWidget.content.widgets]
    .flatMap(cell => cell.model.sharedModel.toJSON().outputs ?? [])
    .filter(output => output.output_type === "error").map(output => `${output.ename}: ${output.evalue}`)"""
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")


@dataclass(frozen=True)
class Lab:
    """A running server: where it is, what it asks for, and the folder that it shows."""

    address: str
    token: str
    folder: Path

    def write(self, name: str, sources: Sequence[str]) -> str:
        """Write a new notebook of code cells; return its address."""
        blank = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
        cells = [blank | {"source": source, "id": f"cell-{position}"} for position, source in enumerate(sources)]
        notebook = {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
        (self.folder / name).write_text(json.dumps(notebook), encoding="utf-8")
        # In a workspace of its own: the common one would open the notebooks of other tests, too.
        return f"{self.address}/lab/workspaces/{Path(name).stem}/tree/{name}?token={self.token}"

    def in_notebook_7(self, name: str) -> str:
        """Return the address of a notebook in Jupyter Notebook, which the same server serves."""
        if importlib.util.find_spec("notebook") is None:
            require("There is no Jupyter Notebook: pip install 'anova_report[test]'.")
        return f"{self.address}/notebooks/{name}?token={self.token}"


@contextmanager
def running(folder: Path) -> Iterator[Lab]:
    """Run a JupyterLab over a new folder, with none of the person's own settings."""
    if importlib.util.find_spec("jupyterlab") is None:
        require("There is no JupyterLab: pip install 'anova_report[test]'.")
    (folder / "notebooks").mkdir(parents=True)
    lab = Lab(f"http://127.0.0.1:{_free_port()}", secrets.token_hex(16), folder / "notebooks")
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(_command(lab), env=_environment(folder), stdout=log, stderr=log)  # noqa: S603 our own
        try:
            _wait_for(lab, server, folder / "server.log")
            yield lab
        finally:
            _stop(server)


def _stop(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _command(lab: Lab) -> list[str]:
    port = lab.address.rpartition(":")[2]
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": "0",
        "ServerApp.root_dir": str(lab.folder),
        "ServerApp.open_browser": "False",
        "ServerApp.allow_root": "True",  # containers have no other user
        "IdentityProvider.token": lab.token,
        "LabApp.expose_app_in_browser": "True",
    }
    return [sys.executable, "-m", "jupyterlab", *(f"--{name}={value}" for name, value in options.items())]


def _environment(folder: Path) -> dict[str, str]:
    """Point Jupyter to folders of its own, and the kernel to the package and the samples of its tests."""
    settings = folder / FOLDERS[0] / "labconfig"
    settings.mkdir(parents=True)
    (settings / "page_config.json").write_text(json.dumps({"disabledExtensions": UNWANTED}), encoding="utf-8")
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | {name: str(folder / name) for name in FOLDERS} | {"PYTHONPATH": paths}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait_for(lab: Lab, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(SECONDS * 10):
        try:
            with urllib.request.urlopen(f"{lab.address}/api/status?token={lab.token}", timeout=5):  # noqa: S310 local
                return
        except (URLError, ConnectionError):
            if server.poll() is not None:
                break
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


class Notebook:
    """One notebook in the browser."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def wait(self) -> None:
        """Wait until the kernel is there and has nothing to do."""
        self.page.wait_for_function(READY)

    def run_all(self) -> None:
        """Run all cells, and wait until they are done; none may raise."""
        self.command("notebook:run-all-cells")
        self.page.wait_for_function(IDLE)
        raised = self.page.evaluate(RAISED)
        if raised:
            raise RuntimeError(f"A cell raised {raised[0]}")

    def run(self, source: str) -> None:
        """Run a statement in the kernel, as a cell that leaves no trace would."""
        self.page.evaluate(
            """async code => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const reply = await kernel.requestExecute({code, silent: false, store_history: false}).done;
                if (reply.content.status !== "ok") throw new Error(`${reply.content.ename}: ${reply.content.evalue}`);
            }""",
            source,
        )

    def reload(self) -> None:
        """Load the page anew; the kernel goes on."""
        self.page.reload()
        self.wait()

    def restart(self) -> None:
        """Restart the kernel, without the dialogue that asks for it."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
        self.wait()

    def command(self, name: str) -> None:
        """Run a command of JupyterLab."""
        self.page.evaluate("name => window.jupyterapp.commands.execute(name).then(() => null)", name)


@contextmanager
def opened(chromium: Chromium, lab: Lab, address: str) -> Iterator[Notebook]:
    """Open a notebook; its page's `trouble` lists errors and requests that would have left the lab."""
    with chromium.driven() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        page = context.new_page()
        page.set_default_timeout(SECONDS * 1000)
        page.trouble = []
        page.on("pageerror", lambda error: page.trouble.append(f"page error: {error}"))
        page.on("console", lambda said: page.trouble.append(said.text) if said.type == "error" else None)
        context.route("**/*", lambda route: _pass_on(route, lab.address, page.trouble))
        try:
            page.goto(address)
            notebook = Notebook(page)
            notebook.wait()
            yield notebook
        finally:
            context.close()


def _pass_on(route: Any, address: str, trouble: list[str]) -> None:
    if route.request.url.startswith((address, "data:", "blob:")):
        route.continue_()
    else:
        trouble.append(f"request: {route.request.url}")
        route.abort()
