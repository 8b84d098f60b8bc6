from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from anova_report.errors import InputError
from anova_report.io import files
from anova_report.io.documents import plain
from anova_report.io.sinks import clean, file_name
from anova_report.report.mail import bars, compose, html_body
from anova_report.report.page.page_facts import ShareFact, page_facts
from anova_report.report.page.render import environment
from tests.report.samples import HOSTILE, hostile_audit, sample_audit

TO = ("Ada <ada@example.org>", "ben@example.org")
SENDER = "Validation <audits@example.org>"


def write_page(folder: Path, audit=None, filling: str = "") -> Path:
    """Write a page that carries its facts; what else is on it does not matter here."""
    page = folder / "audit.html"
    facts = environment().from_string("{{ facts|tojson }}").render(facts=plain(page_facts(audit or sample_audit())))
    script = f'<script type="application/json" id="facts">{facts}</script>'
    page.write_text(f"<!doctype html><title>é ☃</title>{script}<p>{filling}</p>", encoding="utf-8")
    return page


@pytest.fixture
def page(tmp_path) -> Path:
    return write_page(tmp_path)


def parsed(message: EmailMessage) -> EmailMessage:
    """Send a message through bytes, as servers do."""
    found = message_from_bytes(message.as_bytes(), policy=policy.default)
    assert isinstance(found, EmailMessage)
    return found


def test_a_mail_has_text_a_body_and_the_page_byte_for_byte(page):
    found = parsed(compose(page, to=TO, sender=SENDER))
    assert found.get_content_type() == "multipart/mixed"
    body, attachment = found.iter_parts()
    assert [part.get_content_type() for part in body.iter_parts()] == ["text/plain", "text/html"]
    assert attachment.get_content_type() == "text/html"
    assert attachment.get_filename() == "audit.html"
    assert attachment.get_content_disposition() == "attachment"
    assert attachment.get_payload(decode=True) == page.read_bytes()


def test_headers_name_sender_recipients_verdict_and_title(page):
    found = parsed(compose(page, to=TO, sender=SENDER))
    assert [address.addr_spec for address in found["To"].addresses] == ["ada@example.org", "ben@example.org"]
    assert found["From"].addresses[0].display_name == "Validation"
    assert found["Subject"] == "[Do not rely on it] House prices"
    assert found["Message-ID"].endswith("@example.org>")
    assert found["Date"].datetime is not None
    assert parsed(compose(page, to=TO, sender=SENDER, subject="Größe ☃"))["Subject"] == "Größe ☃"


def test_both_bodies_carry_verdict_numbers_findings_shares_and_size(page):
    found = parsed(compose(page, to=TO, sender=SENDER))
    text = found.get_body(("plain",)).get_content()
    html = BeautifulSoup(found.get_body(("html",)).get_content(), "html.parser").get_text(" ")
    shown = ("House prices", "1 of 3 checks failed.", "Fidelity (R²)", "0.881")
    for body in (" ".join(text.split()), " ".join(html.split())):
        for words in (*shown, "Unexplained", "Overlap of terms", "Overlap of terms was looked at."):
            assert words in body
        assert "Predictions vary was looked at." not in body  # what passed is on the page
        assert f"({files.size_in_words(page.stat().st_size)})" in body


@pytest.mark.parametrize("audit", [sample_audit(("low", "high")), hostile_audit()], ids=["plain", "hostile"])
def test_the_body_is_tables_and_inline_styles_only(audit):
    tags = BeautifulSoup(html_body(page_facts(audit), "audit.html", "1 KB"), "html.parser").find_all(True)
    allowed = "html head meta title body table tr td th h1 h2 h3 p span b br"
    assert {tag.name for tag in tags} <= set(allowed.split())
    assert not {name for tag in tags for name in tag.attrs} & {"src", "href", "class", "id", "onerror"}


def test_hostile_words_are_shown_as_words():
    body = html_body(page_facts(hostile_audit()), HOSTILE[0], "1 KB")
    shown = BeautifulSoup(body, "html.parser").get_text()
    assert "<script>alert(1)</script>" in shown
    assert "<script" not in body
    assert "49" not in shown  # {{ 7 * 7 }} is not computed


def test_bars_are_as_wide_as_the_shares_of_drivers_or_on_older_pages_of_terms():
    facts = page_facts(sample_audit())
    [output] = facts.outputs
    assert bars(output) == list(output.drivers)
    shares = (ShareFact("a", 0.5), ShareFact("b", 0.25), ShareFact("c", -0.125), ShareFact("unexplained", 0.0))
    older = replace(output, shares=shares, drivers=(), effects=())
    assert [(bar.label, bar.width) for bar in bars(older)] == [("a", 100), ("b", 50), ("c", 25), ("unexplained", 0)]
    soup = BeautifulSoup(html_body(replace(facts, outputs=(older,)), "a.html", "1 KB"), "html.parser")
    assert [cell["width"] for cell in soup.find_all("td", bgcolor=True, height="12")] == ["100%", "50%", "25%"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"subject": "Hi\nBcc: all@example.org"}, "holds a line break"),
        ({"subject": "Hi\r\nBcc: all@example.org"}, "holds a line break"),
        ({"sender": "a@example.org\nBcc: all@example.org"}, "is not one mail address"),
        ({"to": ["a@example.org\r\nBcc: all@example.org"]}, "is not one mail address"),
        ({"to": ["a@example.org, b@example.org"]}, "is not one mail address"),
        ({"to": ["nobody"]}, "is not one mail address"),
        ({"to": ["a b@example.org"]}, "is not one mail address"),
        ({"to": ["Ada <ada@@example.org>"]}, "is not one mail address"),
        ({"to": [""]}, "is not one mail address"),
        ({"to": []}, "The mail has no recipient"),
        ({"to": ["=?utf-8?q?a=0aBcc:_b=40example.org?= <a@example.org>"]}, "is not one mail address"),
        ({"sender": "=?utf-8?q?a=0aBcc:?=@example.org"}, "is not one mail address"),
    ],
)
def test_headers_cannot_be_smuggled_in(page, more, words):
    with pytest.raises(InputError, match=words):
        compose(page, **{"to": TO, "sender": SENDER} | more)


SMUGGLED = "score=?utf-8?q?=0aReply-To:_attacker=40evil.test?="


@pytest.mark.parametrize(
    "words", [SMUGGLED, f"{SMUGGLED} " * 9, f"Größe {SMUGGLED}", "a\u2028b\x1b[2J\u202e", "=?utf-8?b?Cg?="]
)
def test_encoded_words_in_titles_and_file_names_are_read_as_their_letters(tmp_path, words):
    made = write_page(tmp_path, replace(sample_audit(), title=words))
    page = made.rename(tmp_path / f"{words[:60].replace('/', '_')}.html")
    found = parsed(compose(page, to=TO, sender=SENDER))
    assert found["Subject"] == f"[Do not rely on it] {clean(words)[:200]}".strip()
    assert sorted(found.keys()) == [
        "Content-Type",
        "Date",
        "From",
        "MIME-Version",
        "Message-ID",
        "Subject",
        "To",
        "X-Mailer",
    ]
    names = [part.get_filename() for part in found.iter_attachments()]
    assert names == [file_name(page.name)]
    assert not any(sign in names[0] for sign in "\n=?\u202e")
    for part in found.walk():
        assert not any("\n" in str(value) for value in part.values())


def test_a_mail_that_is_too_large_is_refused_before_and_after_it_is_made(tmp_path):
    page = write_page(tmp_path, filling="x" * 900_000)
    # As an attachment the page takes a third more than as a file.
    with pytest.raises(InputError, match=r"The mail would have 1\.2 MB, and 1 MB are allowed"):
        compose(page, to=TO, sender=SENDER, max_size=1)
    with pytest.raises(InputError, match=r"The mail would have 0\.9 MB, and 0\.5 MB are allowed"):
        compose(page, to=TO, sender=SENDER, max_size=0.5)
    assert compose(page, to=TO, sender=SENDER, max_size=2)["Subject"]


def test_a_domain_of_other_letters_is_written_as_servers_know_it(page):
    made = compose(page, to=["Ada <a@bücher.de>"], sender="b@BÜCHER.example")
    assert [address.addr_spec for address in made["To"].addresses] == ["a@xn--bcher-kva.de"]
    assert made["From"].addresses[0].domain == "xn--bcher-kva.example"
    made.as_bytes().decode("ascii")


@pytest.mark.parametrize("address", ["a@straße.de", "ä@example.org", f"a@{'ü' * 70}.de", "a@ü..de"])
def test_an_address_that_servers_may_read_as_another_is_refused(page, address):
    with pytest.raises(InputError, match="address"):
        compose(page, to=[address], sender="b@example.org")
