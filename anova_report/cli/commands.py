"""The commands, each a function of its options; what a command needs is imported when it is called.

Results go to the output, everything else to the error stream.
"""

import shlex
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anova_report import __version__
from anova_report.core.result.display import text_table
from anova_report.errors import InputError, StorageError
from anova_report.io import files, sinks
from anova_report.io.terminal import is_watched, say, tell

if TYPE_CHECKING:
    from anova_report.report.audit.audit import Audit
    from anova_report.report.jobs.options import Job
    from anova_report.report.page.page_facts import OutputFacts

RUN_FAILED = 3
OWN = ("command", "config", "overwrite", "traceback")  # options that say nothing about the audit
TABLE, PAGE, AUDIT, CONFIG = "patients.csv", "audit.html", "audit.json", "audit.yaml"
PLACES = ("A.json", "B.json", "DATA", "DIR", "FILE", "NOTEBOOK", "PAGE", "RUNS", "SAVED.json", "TABLE")  # are completed
CURE = "Pass what `anova-report audit --save` or `anova-report compare --save` wrote."


def complain(sentence: str) -> None:
    """Print what went wrong."""
    tell(f"anova-report: {sinks.clean(sentence)}")


def shows_progress(quiet: bool) -> bool:
    """Say whether bars make sense: somebody is watching, and wants them."""
    return not quiet and is_watched()


def audit(options: Namespace) -> int:
    """Run the audit that was asked for: from a table to a page."""
    from anova_report.report.jobs.options import Job
    from anova_report.report.jobs.yaml_files import read_config

    given = {name: value for name, value in vars(options).items() if name not in OWN}
    config, folder = {}, None
    if hasattr(options, "config"):
        config, folder = read_config(options.config), Path(options.config).parent
    job = Job.from_config(config, folder=folder, given=given)
    return carry_out(job, sources=[getattr(options, "config", None)], overwrite=options.overwrite)


def carry_out(
    job: "Job", command: str | None = None, *, sources: Sequence[str | None] = (), overwrite: bool = False
) -> int:
    """Run an audit, print what was found, and return the exit code."""
    from anova_report.report.jobs.job import run
    from anova_report.report.jobs.options import exit_code

    progress = shows_progress(job.quiet)
    stage = (lambda name: tell(f"{name} …")) if progress else None
    made = run(job, command=command, progress=progress, tell=stage, sources=sources, overwrite=overwrite)
    places = [Path(place) for place in job.results]
    if job.json:
        say(as_json(made, Path(job.out), "verdict", "sign", "verdict_words", "headlines", "findings"))
    elif not job.quiet:
        say("\n".join([summary(made), "", *(f"Written: {written(place)}" for place in places)]))
    return exit_code(made.verdict, job.fail_on)


def batch(options: Namespace) -> int:
    """Carry out the runs of many notebooks, with one page of all verdicts, and say how each of them went."""
    from anova_report.report.notebooks.batch import run_batch

    result = run_batch(
        options.runs,
        options.out,
        progress=shows_progress(options.quiet),
        fail_on=options.fail_on,
        keep_going=not options.stop,
        fresh=options.fresh,
        overwrite=options.overwrite,
        allow_outside=options.allow_outside,
    )
    rows = []
    for entry in result.entries:
        if entry.outcome == "failed":
            complain(f"{entry.name}: {entry.message}")
        verdict, when = entry.summary.verdict if entry.summary else "–", "now" if entry.name in result.executed else "–"
        rows.append((sinks.clean(entry.name), entry.outcome, verdict, when))
    if not options.quiet:
        table = text_table(("Run", "outcome", "verdict", "carried out"), rows)
        say(f"{table}\nWritten: {written(result.index)}")
    return result.exit_code


def compare(options: Namespace) -> int:
    """Lay two decompositions, or a model and the data, on one page."""
    from anova_report.cli.compare_command import compare_decompositions

    return compare_decompositions(options)


def completion(options: Namespace) -> int:
    """Print a script by which a shell completes what is typed."""
    import argparse
    import sys

    from anova_report.cli.parser import parser
    from anova_report.core.libraries import library

    shtab, made = library("shtab", "Completion"), parser()
    [commands] = [action for action in made._actions if isinstance(action, argparse._SubParsersAction)]
    for each in commands.choices.values():
        for action in each._actions:
            if action.metavar in PLACES:
                action.complete = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE
    sys.stdout.write(shtab.complete(made, shell=options.shell))
    return 0


def demo(options: Namespace) -> int:
    """Write the inputs and predictions of a model at hand to a table, and audit that table as a user would."""
    from anova_report.cli.demo_model import PREDICTION, TITLE, make_demo
    from anova_report.report.jobs.options import Job

    folder = Path(options.out)
    if folder.is_file():
        raise InputError(f"{folder} is a file. Name a folder to write to.")
    files.make_folder(folder)
    table, notes = make_demo()
    # Paths of the configuration start in its folder, so that it can be moved.
    config = {"data": TABLE, "prediction": PREDICTION, "title": TITLE, "note": list(notes)}
    config |= {"out": PAGE, "save": AUDIT}
    files.write_example(folder / TABLE, table.to_csv(index=False), overwrite=options.overwrite)
    files.claim([folder / CONFIG], [], overwrite=options.overwrite)
    files.write_text(folder / CONFIG, f"# Made by anova_report {__version__}\n{sinks.yaml(config)}")
    job = Job.from_config(config, folder=folder, given={"quiet": options.quiet})
    command = shlex.join(["anova-report", "demo", "-o", options.out])
    code = carry_out(job, command, sources=[str(folder / CONFIG)], overwrite=options.overwrite)
    if not options.quiet:
        again = shlex.join(["anova-report", "audit", "--config", str(folder / CONFIG)])
        say(f"\nOpen {folder / PAGE} in a browser. From its table it is made by:\n\n    {again}")
    return code


def mail(options: Namespace) -> int:
    """Write a mail with a page and a readable body, and send it or keep it."""
    from anova_report.report.mail import Login, Server, compose, default_sender, deliver

    claimed = files.claim([options.eml], [options.page], overwrite=options.overwrite)
    login = Login.from_environment()
    message = compose(
        options.page,
        to=options.to,
        sender=options.sender or default_sender(login),
        subject=options.subject,
        max_size=options.max_size,
    )
    if options.eml is not None:
        files.write_texts({options.eml: message.as_string()}, claimed)
        done = f"Written: {written(Path(options.eml))}"
    else:
        server = Server.read(options.smtp, options.security)
        deliver(message, server, login)
        subject = sinks.clean(str(message["Subject"]))
        done = f"Sent to {', '.join(options.to)}: {subject} ({files.size_in_words(len(message.as_bytes()))})"
    if not options.quiet:
        say(done)
    return 0


def render(options: Namespace) -> int:
    """Make the page of a saved audit or comparison again."""
    from anova_report.io.documents import schema_of
    from anova_report.report.audit import audit as audits
    from anova_report.report.comparison import comparison
    from anova_report.report.page.render import render as render_audit

    source = Path(options.document)
    if not source.is_file():
        raise InputError(f"There is no file {source}. {CURE}")
    place = source.with_suffix(".html") if options.out is None else Path(options.out)
    claimed = files.claim([place], [source], overwrite=options.overwrite)
    schema = schema_of(source, CURE)
    if schema == audits.STAMP.schema:
        page = render_audit(audits.Audit.load(source))
    elif schema == comparison.STAMP.schema:
        page = comparison.render_comparison(comparison.ComparisonPage.load(source))
    else:
        raise StorageError(f"{source} holds neither an audit nor a comparison. {CURE}")
    files.write_texts({place: page}, claimed)
    if not options.quiet:
        say(f"Written: {written(place)}")
    return 0


def run(options: Namespace) -> int:
    """Run one notebook with parameters, and say what was found."""
    from anova_report.report.jobs.options import exit_code
    from anova_report.report.jobs.yaml_files import read_config
    from anova_report.report.notebooks.execution import run_notebook
    from anova_report.report.notebooks.notebook_export import read_notebook
    from anova_report.report.notebooks.notebook_summary import read_summary
    from anova_report.report.notebooks.parameters import from_text

    from_file = {} if options.file is None else read_config(options.file)
    result = run_notebook(
        options.notebook,
        from_file | {name: from_text(value) for name, value in options.parameter},
        options.out or f"{Path(options.notebook).stem}-run.ipynb",
        html=options.html,
        progress=shows_progress(options.quiet),
        timeout=options.timeout,
        sources=[options.file],
        overwrite=options.overwrite,
    )
    found = read_summary(read_notebook(result.notebook))
    if not options.quiet:
        lines = [] if found is None else [sinks.clean(str(found))]
        say("\n".join([*lines, f"Written: {written(result.notebook)}", f"Written: {written(result.html)}"]))
    if found is None and options.fail_on:
        complain("--fail-on cannot be decided: the notebook made no audit.")
        return RUN_FAILED
    return 0 if found is None else exit_code(found.verdict, options.fail_on)


def summary(audit: "Audit") -> str:
    """Write the verdict, the numbers that decide it, the largest shares, and what did not pass."""
    from anova_report.report.page.page_facts import page_facts

    outputs = sinks.cleaned(page_facts(audit).outputs)
    said = ["\n".join([f"Verdict: {audit.sign} ({audit.verdict})", *sinks.cleaned(audit.subject.notes)])]
    return "\n\n".join([*said, *(_output(output, len(outputs) > 1) for output in outputs)])


def _output(output: "OutputFacts", named: bool) -> str:
    from anova_report.measures.status import OUTCOMES, is_expected, pressing
    from anova_report.measures.wording import percent

    blocks = [f"{output.name} ({output.verdict_sign}): {output.verdict_words}" if named else output.verdict_words]
    if output.headlines:
        deciding = [(item.label, item.value, OUTCOMES[item.status]) for item in output.headlines]
        blocks.append(text_table(("Deciding number", "value", "status"), deciding))
    if output.shares:
        shares = [
            (share.label, "" if share.structural is None else percent(share.structural), percent(share.value))
            for share in output.shares
        ]
        blocks.append(text_table(("Share of the variance", "structural", "total"), shares))
    for item in pressing(output.findings):
        said = f"{item.title}." if is_expected(item.code) else f"{OUTCOMES[item.status]}:"
        blocks.append(f"{item.code} {said} {item.sentence} {item.advice}".rstrip())
    return "\n\n".join(blocks)


def as_json(document: Any, page: Path, verdict: str, *words: str) -> str:
    """Write the verdict on a document and its outputs, a field of both, as JSON, with other fields of each output."""
    from anova_report.io.documents import plain

    names = ("name", verdict, *words)
    outputs = [{name: plain(getattr(output, name)) for name in names} for output in document.outputs]
    found = {"title": document.title, verdict: getattr(document, verdict), "page": str(page), "outputs": outputs}
    return sinks.terminal_json(found)


def written(path: Path) -> str:
    """Say where a file is and how large."""
    return f"{sinks.clean(str(path))} ({files.size_in_words(path.stat().st_size)})"


COMMANDS: dict[str, Callable[[Namespace], int]] = {
    command.__name__: command for command in (audit, batch, compare, completion, demo, mail, render, run)
}
