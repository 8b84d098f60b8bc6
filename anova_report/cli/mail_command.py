"""`anova-report mail`: a page with a readable body, to a server or to a file."""

from argparse import Namespace
from pathlib import Path

from anova_report.cli.console import say
from anova_report.cli.text import written
from anova_report.core import files
from anova_report.report.mail.delivery import Login, Server, default_sender, deliver
from anova_report.report.mail.message import compose


def execute(options: Namespace) -> int:
    """Write the mail, and send it or keep it."""
    login = Login.from_environment()
    message = compose(
        options.page,
        to=options.to,
        sender=options.sender or default_sender(login),
        subject=options.subject,
        max_size=options.max_size,
    )
    if options.eml is not None:
        place = Path(options.eml)
        files.check_place(place)
        done = f"Written: {written(files.write_text(place, message.as_string()))}"
    else:
        server = Server.read(options.smtp, options.security)
        deliver(message, server, login)
        done = f"Sent to {', '.join(options.to)}: {message['Subject']} ({files.size_in_words(len(message.as_bytes()))})"
    if not options.quiet:
        say(done)
    return 0
