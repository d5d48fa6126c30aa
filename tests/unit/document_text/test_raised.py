"""Raised and lowered characters of HTML: a word or number ends before them."""

import time

import pytest

from edgar_search.text.document_text import text_of
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import tokens

UNUSUAL = "<pre></pre>"  # so that the text is read by a tree


def text(html: str) -> str:
    return text_of(DocumentKind.HTML, f"<html><body><p>{html}</p></body></html>")


@pytest.mark.parametrize("behind", ["", UNUSUAL], ids=["ordinary", "tree"])
@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("518<sup>2</sup>", "518\u00b2"),
        ("$0.45<SUP>1</SUP>", "$0.45\u00b9"),
        ("432 m<sup>2</sup>", "432 m\u00b2"),
        ("10<sup>&#8722;6</sup>", "10\u207b\u2076"),
        ("Ca<sup>2+</sup>", "Ca\u00b2\u207a"),
        ("Moss<sup>(1)(2)</sup>", "Moss\u207d\u00b9\u207e\u207d\u00b2\u207e"),
        ("Moss<sup>(</sup><sup>1</sup><sup>)</sup>", "Moss\u207d\u00b9\u207e"),
        ("Moss<sup>1, 2</sup>", "Moss\u00b9, \u00b2"),
        ("7<sup style='font-size:65%'> 8</sup>", "7 \u2078"),
        ("<sup>1</sup>Moss", "\u00b9Moss"),
        ("3<font size=1><sup>a</sup></font>", "3 a"),
        ("3<sup>(b)</sup>", "3 (b)"),
        ("520<span style=vertical-align:super>4</span>", "520\u2074"),
        ("12<font style='vertical-align:text-top' size='1'>(3)</font>", "12\u207d\u00b3\u207e"),
        ("17<sup>*</sup>", "17 *"),
        ("Moss<sup>&dagger;</sup>", "Moss \u2020"),
        ("<sup>99m</sup>Tc", "99m Tc"),
        ("on the 4<sup>th</sup> and 21<sup>ST</sup>", "on the 4th and 21ST"),
        ("McDonald and M<sup>c</sup>Donald", "McDonald and McDonald"),
        ("QUIX<sup>TM</sup> is", "QUIX\u2122 is"),
        ("QUIX<sup>(sm)</sup>, QUIX<sup>R</sup>", "QUIX\u2120, QUIX\u00ae"),
        ("QUIX<sup>&reg;</sup>", "QUIX\u00ae"),
        ("Moss <sup>Rx</sup> and Moss<sup>Rx</sup>", "Moss Rx and Moss Rx"),
        ("7<sup>1</sup>/2%", "7 1/2%"),
        ("1<sup>1</sup>/<sub>2</sub>%", "1 1/2%"),
        ("6<sup>1</sup>&frasl;<sub>2</sub>%", "6 1/2%"),
        ("5<sup>7</sup><sub>8</sub>", "5 7/8"),
        ("6<sup>1/2</sup>%", "6 1/2%"),
        ("4<sup></sup><sup>&nbsp;3</sup>/4%", "4 3/4%"),
        ("<sup>2</sup>/<sub>3</sub> of", "2/3 of"),
        ("CO<sub>2</sub> and C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>", "CO2 and C6H12O6"),
        ("(NH<sub>4</sub>)<sub>2</sub>SO<sub>4</sub>", "(NH4)2SO4"),
        ("C<sub>max</sub> of HbA<sub>1c</sub>", "Cmax of HbA1c"),
        ("Notes<sub>1</sub> of 17<sub>(2)</sub>", "Notes\u2081 of 17\u208d\u2082\u208e"),
        ("518&sup2;", "518\u00b2"),
        ("5<span style='vertical-align: super; font-size: 6pt'>1</span>", "5\u00b9"),
        ("5<span style='font-size:6pt;vertical-align:top'>1</span>", "5\u00b9"),
        ("5<span style='vertical-align:30%'>1</span>", "5\u00b9"),
        ("5<span style='vertical-align:sub'>1</span>", "5\u2081"),
        ("5<font style='position: relative; top: -3.5pt'>1</font>", "5\u00b9"),
        ("5<font style='position:relative;bottom:4pt'><a href='#n'>1</a></font>", "5\u00b9"),
        ("5<span style='position:relative;top:-3pt'><span>1</span></span> 2", "5\u00b9 2"),
        ("5<font size=1 style='position:relative;top:-3pt'><sup>1</sup></font>", "5\u00b9"),
        ("(5<font style='position:relative;top:-1pt'>)</font>", "(5)"),
        ("5<span style='vertical-align:baseline'>1</span>", "51"),
        ("5<span style='vertical-align:top'>1</span>", "51"),
        ("fiscal<sup>2018</sup>", "fiscal 2018"),
        ("Moss<sup>(4</sup>)", "Moss (4)"),
        ("$12<sup>.50</sup>", "$12.50"),
    ],
)
def test_text_is(html: str, shown: str, behind: str) -> None:
    assert text(html + behind) == shown


@pytest.mark.parametrize("behind", ["", UNUSUAL], ids=["ordinary", "tree"])
def test_classes_of_a_style_sheet_raise_and_lower(behind: str) -> None:
    sheet = (
        "<style>p {margin: 0} span.up {font-size: 7pt; vertical-align: super}"
        " .dn{vertical-align:sub}</style>"
    )
    raised = (
        '518<span class="mark up">2</span>, H<SPAN CLASS=dn>2</SPAN>O and 5<b class="other">2</b>'
    )
    assert text(f"{sheet}{raised}{behind}") == "518\u00b2, H2O and 52"


def test_what_is_never_closed_raises_nothing() -> None:
    assert text("5<sup>1<p>7</p><p>8</p>") == "51\n\n7\n\n8"


def test_a_number_is_found_without_the_mark_behind_it() -> None:
    assert tokens(text("$0.45<sup>1</sup> and 1,234<sup>2,3</sup>")) == ["0.45", "and", "1,234"]


@pytest.mark.parametrize("piece", ["<sup>", "</sup>", "<sup>1", "5<sup>1</sup>/", "<sup>1</sup>"])
@pytest.mark.parametrize("opening", ["", "<span style='vertical-align:super'>"])
def test_time_of_many_is_linear(piece: str, opening: str) -> None:
    began = time.process_time()
    text((opening + piece) * 30_000)
    assert time.process_time() - began < 4
