"""Forms and items that a typed text names."""

import pytest

from edgar_search.web.pages.one_box import forms_and_items

ITEM = "/search?query=auditor&form_type=8-K&item=5.02"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("8-K 5.02", ("8-K item 5.02", "/search?form_type=8-K&item=5.02")),
        ("8k item 5.02 auditor", ("8-K item 5.02", ITEM)),
        ("auditor 8-K/A 5.02", ("8-K/A item 5.02", ITEM.replace("8-K", "8-K%2FA"))),
        ("8-K 99.99", ("Form 8-K", "/search?query=99.99&form_family=8-K")),
        ("10-K goodwill", ("Form 10-K", "/search?query=goodwill&form_family=10-K")),
    ],
)
def test_form_and_item_lead_to_their_filings(typed: str, expected: tuple[str, str]) -> None:
    (thing,) = forms_and_items(typed)
    assert (thing.text, thing.address) == expected


@pytest.mark.parametrize("typed", ["goodwill", '"10-K', "18-K 5.02", "( AND", ""])
def test_other_words_name_no_form(typed: str) -> None:
    assert forms_and_items(typed) == []
