"""Companies, forms and items that a typed text names."""

import pytest

from edgar_search.search.entities import MOST_SUGGESTED, SuggestedCompany
from edgar_search.web.pages.one_box import forms_and_items, only_begun

ITEM = "/search?query=auditor&form_type=8-K&item=5.02"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("8-K 5.02", ("8-K item 5.02", "/search?form_type=8-K&item=5.02")),
        ("8k item 5.02 auditor", ("8-K item 5.02", ITEM)),
        ("auditor 8-K/A 5.02", ("8-K/A item 5.02", ITEM.replace("8-K", "8-K%2FA"))),
        ("8-K 99.99", ("Form 8-K", "/search?query=99.99&form_family=8-K")),
        ("10-K goodwill", ("Form 10-K", "/search?query=goodwill&form_family=10-K")),
        ("form 4", ("Form 4", "/search?form_family=4")),
        ("buyback 10k/a", ("Form 10-K/A", "/search?query=buyback&form_type=10-K%2FA")),
        ("SC TO-T", ("Form SC TO-T", "/search?form_family=SC+TO-T")),
        ("nt 10-k", ("Form NT 10-K", "/search?form_family=NT+10-K")),
        ("424(b)(5) notes", ("Form 424B5", "/search?query=notes&form_family=424B5")),
        ("CORRESP comment", ("Form CORRESP", "/search?query=comment&form_family=CORRESP")),
        (
            "sc 13d/a",
            (
                "Form SC 13D/A or Form SCHEDULE 13D/A",
                "/search?form_type=SC+13D%2FA%2CSCHEDULE+13D%2FA",
            ),
        ),
        (
            "annual reports paper",
            (
                "Annual reports",
                "/search?query=paper&form_family="
                "10-K%2C10-K405%2C10-KSB%2C10-KSB40%2C10-KT%2C20-F%2C40-F",
            ),
        ),
        ("clawback EX-97", ("EX-97", "/search?query=clawback&document_type=EX-97")),
    ],
)
def test_form_and_item_lead_to_their_filings(typed: str, expected: tuple[str, str]) -> None:
    (thing,) = forms_and_items(typed)
    assert (thing.text, thing.address) == expected


@pytest.mark.parametrize(
    "typed",
    ["goodwill", '"10-K', "118-K 5.02", "( AND", "", "4 wells", "effect", "vitamin D", "upload"],
)
def test_other_words_name_no_form(typed: str) -> None:
    assert forms_and_items(typed) == []


def suggested(*names: str, former: str | None = None) -> list[SuggestedCompany]:
    return [
        SuggestedCompany(str(number), name, [], former)
        for number, name in enumerate(names, start=1)
    ]


MILLS = "QUILLFEATHER PAPER MILLS CORP"


@pytest.mark.parametrize(
    ("typed", "found", "expected"),
    [
        ("quillfeather", suggested(MILLS), "1"),
        ("Quillfeather Inc.", suggested(MILLS), "1"),
        ("quillfeather", suggested("FRIENDS OF QUILLFEATHER", MILLS), "2"),
        ("quillfeather", suggested("SEVERN PULP INC", former=MILLS), "1"),
        ("quillfeather", suggested(MILLS, "QUILLFEATHER TRUST II"), None),
        (
            "quillfeather",
            suggested(MILLS, *(f"NEW QUILLFEATHER {n}" for n in range(1, MOST_SUGGESTED))),
            None,
        ),
        ("quill", suggested(MILLS), None),
        ("quillfeather paper", suggested(MILLS), None),
        ("paper", suggested("PAPER MILLS OF MAINE CORP"), None),
        ("martha", suggested("MARTHA STEWART LIVING INC"), None),
        ("", [], None),
    ],
)
def test_first_word_of_a_name_names_a_company_if_no_other_name_begins_so(
    typed: str, found: list[SuggestedCompany], expected: str | None
) -> None:
    assert only_begun(typed, found) == expected
