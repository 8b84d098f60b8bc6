"""Which commands and options there are."""

import argparse
from dataclasses import fields
from typing import Any, NoReturn

from anova_report import __version__
from anova_report.io import sinks
from anova_report.report.jobs.options import SHORT, Groups, Job, Names, Option, Texts, flag_of, option_of, types_of

EXIT_CODES = """
exit codes: 0 it ran; 1 the verdict reached --fail-on; 2 the options or the input are at fault; 3 the run itself failed
"""


SHELLS = ("bash", "zsh", "tcsh")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in a sentence, like every other error, instead of printing all options."""

    def error(self, message: str) -> NoReturn:
        """Leave with exit code 2."""
        sentence = sinks.terminal(sinks.clean(f"{message[:1].upper()}{message[1:]}"))
        self.exit(2, f"anova-report: {sentence}. See {self.prog} --help.\n")


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    words = "Explain and audit a black-box model by its functional ANOVA."
    made = Parser(prog="anova-report", description=words, epilog=EXIT_CODES, allow_abbrev=False)
    made.add_argument("-v", "--version", action="version", version=f"%(prog)s {__version__}")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = _command(commands, "demo", "train a small model on data at hand and audit it; needs no network")
    demo.add_argument("-o", "--out", metavar="DIR", default="demo_audit", help="folder to write to (%(default)s)")
    _audit(commands)
    _notebooks(commands)
    _render(commands)
    _compare(commands)
    _mail(commands)
    completion = _command(commands, "completion", "print what lets a shell complete commands, options and files")
    completion.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or tcsh")
    return made


def _command(commands: Any, name: str, words: str, **more: Any) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(
        name, help=words, description=f"{words[:1].upper()}{words[1:]}.", epilog=EXIT_CODES, allow_abbrev=False, **more
    )
    made.add_argument("--quiet", action="store_true", help="print errors only")
    made.add_argument("--traceback", action="store_true", help="show where an error was raised")
    made.add_argument("--overwrite", action="store_true", help="replace files that anova_report did not write, too")
    return made


def _fail_on(made: argparse.ArgumentParser, **more: Any) -> None:
    made.add_argument(
        "--fail-on", choices=("warn", "fail"), help="exit with 1 if the verdict is at least this bad", **more
    )


def _audit(commands: Any) -> None:
    """Make the options of the fields of a job."""
    # Only what was typed is kept: the rest comes from the configuration, or is a default of `Job`.
    made = _command(commands, "audit", "audit a model from a table", argument_default=argparse.SUPPRESS)
    made.set_defaults(traceback=False, overwrite=False)
    groups: dict[str, Any] = {}
    for item in fields(Job):
        about = option_of(item)
        if item.name == "data":
            made.add_argument("data", nargs="?", metavar=about.metavar, help=about.words)
            made.add_argument(
                "--config", metavar="FILE", help="YAML file with a key for every option; what is typed wins"
            )
        elif item.name != "quiet":  # which every command has
            if about.group not in groups:
                groups[about.group] = made.add_argument_group(about.group)
            flags = [SHORT[item.name]] if item.name in SHORT else []
            groups[about.group].add_argument(
                *flags, flag_of(item), dest=item.name, help=about.words, **_taken(about, types_of(item), item.default)
            )


def _taken(about: Option, types: tuple[Any, ...], default: Any) -> dict[str, Any]:
    """Say how argparse reads the values of a field."""
    if types == (bool,):
        return {"action": "store_false" if default is True else "store_true"}
    if types in ((Names,), (Groups,), (Texts,)):
        return {"nargs": "+", "action": "extend", "metavar": about.metavar}
    if types == (int,):
        return {"type": int, "metavar": about.metavar}  # which numbers are allowed, the job itself says
    return {"choices": about.choices} if about.choices else {"metavar": about.metavar}


def _notebooks(commands: Any) -> None:
    made = _command(commands, "run", "run a notebook with parameters, then write it as a page")
    made.add_argument(
        "notebook", metavar="NOTEBOOK", help="a file, or the name of a notebook that comes with anova_report: audit"
    )
    made.add_argument(
        "-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="may be repeated"
    )
    made.add_argument("-f", "--file", metavar="FILE", help="YAML file with parameters; what is typed wins")
    made.add_argument("-o", "--out", metavar="NOTEBOOK", help="the executed notebook (NOTEBOOK-run.ipynb)")
    made.add_argument("--html", metavar="PAGE", help="the page (beside the executed notebook)")
    made.add_argument("--timeout", type=float, metavar="SECONDS", help="how long one cell may take")
    _fail_on(made)
    made = _command(commands, "batch", "run many notebooks, and write one page with all verdicts")
    made.add_argument("runs", metavar="RUNS", help="YAML list, or CSV table with one run per row")
    made.add_argument("-o", "--out", metavar="DIR", required=True, help="folder to write to; finished runs are kept")
    made.add_argument("--stop", action="store_true", help="stop at the first run that fails")
    made.add_argument("--fresh", action="store_true", help="repeat finished runs, too")
    made.add_argument("--allow-outside", action="store_true", help="let runs write outside of the folder, too")
    _fail_on(made)


def _render(commands: Any) -> None:
    made = _command(
        commands, "render", "make the page of a saved audit or comparison again; needs neither model nor data"
    )
    made.add_argument("document", metavar="SAVED.json", help="what `audit --save` or `compare --save` wrote")
    made.add_argument("-o", "--out", metavar="PAGE", help="the HTML page (SAVED.html)")


def _compare(commands: Any) -> None:
    made = _command(
        commands,
        "compare",
        "lay two decompositions side by side: two models, one model at two dates, or a model and what was observed",
    )
    made.add_argument("first", metavar="A.json", help="what `audit --decomposition` wrote")
    made.add_argument("second", nargs="?", metavar="B.json", help="another such file; not with --target")
    made.add_argument("-o", "--out", metavar="PAGE", default="comparison.html", help="the HTML page (%(default)s)")
    made.add_argument(
        "--save", metavar="FILE", help="also the comparison as JSON, from which `render` makes the page again"
    )
    made.add_argument(
        "--data",
        metavar="TABLE",
        help="rows at which to compare; by default rows are drawn from the distribution of each feature",
    )
    made.add_argument(
        "--target",
        metavar="COLUMN",
        help="model against observations: instead of B.json, decompose this observed column of --data with the "
        "settings of A.json, noise and all, and show where the model departs from the data",
    )
    made.add_argument("--names", nargs=2, metavar=("A", "B"), help="what to call the two (the names of the files)")
    made.add_argument("--output", metavar="CLASS", help="one output of both (all that both have)")
    made.add_argument("--title", help="title of the page")
    made.add_argument("--encoding", default="utf-8", help="encoding of a CSV file (%(default)s)")
    made.add_argument(
        "--predictions",
        nargs=2,
        metavar=("COLUMN_A", "COLUMN_B"),
        help="columns of --data with the predictions of both, which then decide whether the function changed",
    )
    made.add_argument(
        "--limit",
        type=float,
        metavar="SHARE",
        help="distance of the predictions up to which functions count as the same, as a share of their standard "
        "deviation (0.05)",
    )
    made.add_argument(
        "--fail-on",
        choices=("change", "unsure"),
        help="exit with 1 if the function changed, or also if that cannot be determined; inputs that moved do not "
        "count",
    )
    made.add_argument("--json", action="store_true", help="print what differs as JSON")


def _mail(commands: Any) -> None:
    login = "log in with ANOVA_REPORT_SMTP_USER and ANOVA_REPORT_SMTP_PASSWORD, from the environment"
    made = _command(commands, "mail", f"mail a page with a readable body; {login}")
    made.add_argument("page", metavar="PAGE", help="what `audit` or `compare` wrote")
    made.add_argument("--to", action="append", required=True, metavar="ADDRESS", help="may be repeated")
    made.add_argument(
        "--from", dest="sender", metavar="ADDRESS", help="who sends it (the login, or you on this machine)"
    )
    made.add_argument("--subject", help="subject of the mail (verdict and title)")
    made.add_argument("--max-size", type=float, default=20.0, metavar="MB", help="refuse larger mails (%(default)g)")
    where = made.add_mutually_exclusive_group(required=True)
    where.add_argument("--smtp", metavar="HOST[:PORT]", help="the server that takes the mail")
    where.add_argument("--eml", metavar="FILE", help="write the mail to a file instead")
    how = made.add_mutually_exclusive_group()
    how.add_argument("--starttls", dest="security", action="store_const", const="starttls", help="encrypt (default)")
    how.add_argument("--ssl", dest="security", action="store_const", const="ssl", help="encrypt from the start")
    how.add_argument("--plain", dest="security", action="store_const", const="plain", help="do not encrypt")
    made.set_defaults(security="starttls")
