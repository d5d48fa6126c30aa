"""Numbers of inline XBRL, as a reader is reported them."""

import pytest

from edgar_search.text.inline_numbers import defined_words, inline_numbers

CONTEXTS = b"""<ix:header><ix:resources>
<xbrli:context id="c-1"><xbrli:entity><xbrli:identifier>1</xbrli:identifier></xbrli:entity>
<xbrli:period><xbrli:instant>2024-09-28</xbrli:instant></xbrli:period></xbrli:context>
<context id='c-2'><entity><segment><xbrldi:explicitMember dimension="a:Axis">q:PulpMember
</xbrldi:explicitMember></segment></entity><period><startDate>2023-10-01</startDate>
<endDate>2024-09-28</endDate></period></context>
<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>
<xbrli:unit id="per"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure>
</xbrli:unitNumerator><xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure>
</xbrli:unitDenominator></xbrli:divide></xbrli:unit></ix:resources></ix:header>"""
DAY, YEAR = "September 28, 2024", "October 1, 2023 to September 28, 2024"


@pytest.mark.parametrize(
    ("filed", "said"),
    [
        (
            '<ix:nonFraction name="q:A" contextRef="c-1" unitRef="usd" scale="6">'
            "1</ix:nonFraction>",
            f"q:A · {DAY} · USD · in millions",
        ),
        (
            "<IX:nonfraction contextref='c-2' name='q:E' unitref='per' sign='-'>1</IX:nonfraction>",
            f"q:E · {YEAR}, PulpMember · USD per shares · shown without its minus",
        ),
        ('<ix:nonFraction name="q:A" contextRef="gone" scale="x">1</ix:nonFraction>', "q:A"),
        (
            '<ix:nonFraction name="q:A"><ix:nonFraction>1</ix:nonFraction></ix:nonFraction>',
            "q:A",
        ),
    ],
    ids=["instant", "period", "undefined", "nested"],
)
def test_number_has_concept_period_unit_and_scale(filed: str, said: str) -> None:
    (number,) = inline_numbers(filed.encode(), defined_words(CONTEXTS))
    assert number.said == said
    assert filed.encode()[slice(*number.opening)].startswith(b"<")
    assert filed.encode()[slice(*number.closing)] in (b"</ix:nonFraction>", b"</IX:nonfraction>")


@pytest.mark.parametrize(
    "filed",
    [
        '<ix:nonFraction name="q:A" xsi:nil="true"/>',
        '<ix:nonFraction name="&quot;><script>">1</ix:nonFraction>',
        '<ix:nonFraction contextRef="c-1">1</ix:nonFraction>',
        '<ix:nonFraction name="q:A">1',
        '</ix:nonFraction><ix:nonNumeric name="q:A">1</ix:nonNumeric>',
    ],
    ids=["nil", "markup", "no name", "open", "words"],
)
def test_what_is_no_number_is_not_described(filed: str) -> None:
    assert list(inline_numbers(filed.encode(), {})) == []
