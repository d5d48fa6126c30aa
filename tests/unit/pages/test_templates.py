"""Dates, times and messages as pages write them."""

import re
import sys
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from unittest.mock import Mock

import pytest
from jinja2 import DictLoader, Environment

from edgar_search.web.pages.templates import (
    KeptCode,
    as_sentence,
    day,
    describe_document,
    form_name,
    moment,
    month_day,
)


def test_a_day_is_written_as_americans_do() -> None:
    assert day("2025-03-06") == "March 6, 2025"


@pytest.mark.parametrize(
    ("given", "shown"),
    [("1231", "December 31"), ("0229", "February 29"), ("1332", "1332"), ("", "")],
)
def test_the_end_of_a_fiscal_year_is_a_day_in_words(given: str, shown: str) -> None:
    assert month_day(given) == shown


@pytest.mark.parametrize(
    ("hour", "shown"), [(3, "July 1, 2025, 23:30 EDT"), (16, "July 2, 2025, 12:30 EDT")]
)
def test_a_moment_is_in_the_time_of_edgar_and_says_that_in_utc(hour: int, shown: str) -> None:
    found = str(moment(datetime(2025, 7, 2, hour, 30, tzinfo=UTC)))
    assert found.endswith(f'title="July 2, 2025, {hour:02}:30 UTC">{shown}</time>')
    assert moment(None) == ""


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("a word is missing after AND", "A word is missing after AND."),
        ("some lack one. Others?", "Some lack one. Others?"),
        ("`moss` is read as text", "moss is read as text."),
        ("`limit` must be from 1 to 100, not `500`", "limit must be from 1 to 100, not 500."),
    ],
)
def test_a_message_names_parameters_as_people_do(message: str, shown: str) -> None:
    assert as_sentence(message) == shown


REMOVES = re.compile(r'name="do" value="(remove|revoke|clear|delete)"')
SURE = re.compile(r'parts\.sure\([^\n]*?, "(\w+)"\)')


def test_nothing_is_removed_without_being_asked_again() -> None:
    folder = files("edgar_search.web.pages").joinpath("templates")
    pages = {each.name: each.read_text() for each in folder.joinpath("account").iterdir()}
    asked = {name: found for name, text in pages.items() if (found := SURE.findall(text))}
    assert asked == {
        "keys.html": ["revoke"],
        "alerts.html": ["remove"],
        "notifications.html": ["remove"],
        "favorites.html": ["remove"],
        "links.html": ["remove"],
        "history.html": ["clear"],
        "mail.html": ["remove"],
        "webhooks.html": ["remove"],
    }
    assert [name for name, text in pages.items() if REMOVES.search(text)] == []


# Fields of a form have days as browsers send them.
FORMS = re.compile(r"<input[^>]*>|href=\"[^\"]*\"|action=\"[^\"]*\"")
A_DAY = re.compile(
    r"{{ [\w.\[\]-]*(?:\bday|date|\bend|since|until|period|filed|_at)(?:\.date\(\))? }}"
)


def test_days_have_one_form_on_all_pages() -> None:
    folder = files("edgar_search.web.pages").joinpath("templates")
    pages = [*folder.iterdir(), *folder.joinpath("account").iterdir()]
    texts = {page.name: FORMS.sub("", page.read_text()) for page in pages if page.is_file()}
    found = {name: A_DAY.findall(text) for name, text in texts.items()}
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize(
    ("description", "form_type", "shown"),
    [
        ("PRIMARY DOCUMENT", "4", ""),
        ("FORM 4 SUBMISSION", "4", ""),
        ("OWNERSHIP DOCUMENT", "4/A", ""),
        ("FORM 10-K", "10-K405", ""),
        ("CURRENT REPORT ON FORM 8-K", "8-K", ""),
        ("SCHEDULE 13G/A", "SC 13G/A", ""),
        ("EXHIBIT 10.1", "EX-10.1", ""),
        ("MOSS & SONS 8-K", "8-K", ""),
        ("0000950170-25-000001.txt", "8-K", ""),
        ("NONE", "SC 13G", ""),
        ("EX-99.1 PRESS RELEASE", "EX-99.1", "EX-99.1 PRESS RELEASE"),
        ("AMENDMENT NO. 3", "SC 13G/A", "AMENDMENT NO. 3"),
        ("PROSPECTUS", "424B2", "PROSPECTUS"),
    ],
)
def test_a_description_is_shown_if_it_says_something(
    description: str, form_type: str, shown: str
) -> None:
    assert describe_document(description, form_type, ["Moss & Sons"]) == shown


def test_a_form_of_a_number_only_is_called_a_form() -> None:
    assert [form_name(each) for each in ("4", "3/A", "10-K")] == ["Form 4", "Form 3/A", "10-K"]


def compiled(
    monkeypatch: pytest.MonkeyPatch, folder: Path, source: str, *, writes: bool = True
) -> tuple[str, int]:
    """Return a template rendered in a new environment, and how many were compiled for it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", not writes)
    environment = Environment(
        autoescape=True, loader=DictLoader({"a.html": source}), bytecode_cache=KeptCode(folder)
    )
    made = Mock(wraps=environment.compile)
    monkeypatch.setattr(environment, "compile", made)
    return environment.get_template("a.html").render(), made.call_count


def test_a_template_is_compiled_once_and_anew_if_it_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert compiled(monkeypatch, tmp_path, "{{ 1 }}") == ("1", 1)
    assert compiled(monkeypatch, tmp_path, "{{ 1 }}") == ("1", 0)
    assert compiled(monkeypatch, tmp_path, "{{ 2 }}") == ("2", 1)


def test_what_another_jinja_has_compiled_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiled(monkeypatch, tmp_path, "{{ 1 }}")
    monkeypatch.setattr("edgar_search.web.pages.templates.version", lambda name: "99.0")
    assert compiled(monkeypatch, tmp_path, "{{ 1 }}") == ("1", 1)


def test_templates_are_kept_only_if_python_keeps_modules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert compiled(monkeypatch, tmp_path, "{{ 1 }}", writes=False) == ("1", 1)
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_cannot_be_written_to_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert compiled(monkeypatch, tmp_path / "absent", "{{ 1 }}") == ("1", 1)


def test_no_attribute_is_written_with_quotes_that_would_be_escaped() -> None:
    folder = Path(str(files("edgar_search.web.pages"))) / "templates"
    quoted = re.compile(r"""\{\{ ' [a-z-]+="(?![^}]*\| safe)[^}]*\}\}""")
    found = {
        path.name: quoted.findall(path.read_text())
        for path in folder.rglob("*.html")
        if quoted.search(path.read_text())
    }
    assert found == {}
