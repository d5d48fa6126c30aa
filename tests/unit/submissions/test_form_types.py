"""EDGAR's form types by the ways in which people write them."""

from pathlib import Path

import pytest

from edgar_search.edgar import form_types as module
from edgar_search.edgar.form_types import form_named, form_types, forms_named

# One form by two names, which differ in their signs only.
_TWINS = ("NT N-CEN", "NT-NCEN")


@pytest.mark.parametrize("form", sorted(form_types()))
def test_every_form_is_read_without_its_signs_and_as_an_amendment(form: str) -> None:
    for signs in (" ", "-", "(", ")"):
        name = form.replace(signs, "")
        if name not in form_types() and form not in _TWINS:
            assert form_named(name) == form
    assert form_named(form.lower()) == form
    assert form_named(f"Form {form}/A") == f"{form}/A"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("10k", "10-K"),
        ("8k", "8-K"),
        ("form 4", "4"),
        ("10-Ks", "10-K"),
        ("13d", "SC 13D"),
        ("13G/A", "SC 13G/A"),
        ("form 13f", "13F-HR"),
        ("10-Z", None),
        ("", None),
    ],
)
def test_forms_are_read_as_people_write_them(text: str, form: str | None) -> None:
    assert form_named(text) == form


def test_texts_that_are_no_forms_stay_and_renamed_schedules_go_together() -> None:
    assert forms_named(["sc 13g", "x"]) == ["SC 13G", "SCHEDULE 13G", "x"]


def test_the_list_is_sorted_and_has_each_form_once() -> None:
    text = Path(module.__file__).with_name("form_types.txt").read_text()
    listed = [form for line in text.splitlines()[1:] for form in line.split(", ")]
    assert listed == sorted(form_types())
