"""Places of numbers of inline XBRL in the text of their document."""

from datetime import date

from edgar_search.stored.financials import StoredPlace
from edgar_search.text.document_text import text_of
from edgar_search.text.versions import DocumentKind
from ingest.reading.xbrl.instance import read_instance
from ingest.reading.xbrl.places import fact_places
from tests.support.made_up_xbrl import MadeUpFact, instance

END = date(2023, 12, 31)


def shown(html: str) -> dict[str, str]:
    """Return parts of the text at the places of the numbers of a document."""
    text = text_of(DocumentKind.HTML, html)
    return {name: text[slice(*span)] for name, span in fact_places(html.encode(), text).items()}


def test_numbers_are_at_their_places_in_tables_and_sentences() -> None:
    html = (
        "<html><body><p>Net loss of \xa7 $<ix:nonFraction id='a' name='x'>1.2</ix:nonFraction>"
        " million</p><table><tr><td>Sales</td><td>$</td><td>"
        '<ix:nonFraction id="b" sign="-"><span>1,234</span></ix:nonFraction></td><td>)</td></tr>'
        '<tr><td>Cost</td><td>(<ix:nonFraction id="c">1,234</ix:nonFraction>)</td></tr></table>'
        "</body></html>"
    )
    assert shown(html) == {"a": "1.2", "b": "1,234", "c": "1,234"}
    text = text_of(DocumentKind.HTML, html)
    places = fact_places(html.encode(), text)
    assert text[places["b"][0] - 7 : places["b"][1]].split() == ["Sales", "$1,234"]
    assert text[places["c"][0] - 1 : places["c"][1] + 1] == "(1,234)"


def test_hidden_empty_and_nested_numbers() -> None:
    html = (
        '<div style="display:none"><ix:nonFraction id="hidden">7</ix:nonFraction></div>'
        '<p><ix:nonFraction id="nil" xsi:nil="true"/><ix:nonFraction id="empty">'
        '</ix:nonFraction><ix:nonFraction id="outer"><ix:nonFraction id="inner">7'
        "</ix:nonFraction></ix:nonFraction> and <ix:nonFraction>8</ix:nonFraction></p>"
    )
    assert shown(html) == {"outer": "7", "inner": "7"}


def test_document_without_numbers_or_of_another_text_has_no_places() -> None:
    html = b'<p>Sales of <ix:nonFraction id="a">12</ix:nonFraction></p>'
    assert fact_places(b"<p>Sales of 12</p>", "Sales of 12") == {}
    assert fact_places(html, "Sales of 13") == {}
    assert fact_places(html, "Sales of 12 and more") == {}


def test_fact_that_is_shown_twice_has_its_first_place_and_a_more_precise_one_its_own() -> None:
    facts = [
        MadeUpFact("us-gaap:Assets", "1200", END, decimals="-2", id="late"),
        MadeUpFact("us-gaap:Assets", "1200", END, decimals="-2", id="early"),
        MadeUpFact("us-gaap:Goodwill", "1200", END, decimals="-2", id="early"),
        MadeUpFact("us-gaap:Goodwill", "1234", END, decimals="0", id="late"),
        MadeUpFact("us-gaap:Liabilities", "5", END, id="hidden"),
    ]
    places = {name: StoredPlace("d", "h", at, at + 3) for name, at in (("late", 9), ("early", 1))}
    found = read_instance(instance(facts).encode(), places).facts
    assert [(fact.concept, fact.place) for fact in found] == [
        ("us-gaap:Assets", places["early"]),
        ("us-gaap:Goodwill", places["late"]),
        ("us-gaap:Liabilities", None),
    ]
