"""XML of EDGAR's own forms as labelled lines, with the places of all values."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.text.forms import form_text
from edgar_search.text.forms.elements import DEEPEST
from edgar_search.text.forms.families import words_of
from tests.support.ownership_forms import FORM_4

FORM_4_LINES = """\
Form 4: Statement of changes in beneficial ownership of securities
Version of schema: X0508
Form type: 4, Statement of changes in beneficial ownership of securities
Issuer: MOSS & SONS, trading symbol MOSS, CIK 0009990001

Reporting owner: Fern Ada, CIK 0009990002
Address: Bog, VT, Vermont
Relationship to issuer: Director 1, yes; Officer false, no

Table I: Non-derivative securities acquired, disposed of, or beneficially owned

Insider selling on 2025-04-30: S, open market or private sale (2)
2,590 (1) shares of Common Stock at $182.00, D, disposed of
Owned following the transaction: 1,234,567, I, indirect, By trust
Equity swap involved: 0, no
Colour of security: green

Explanation of responses
(1) Sold in two lots.
(2) By plan."""


def text(xml: str) -> str:
    form = form_text(xml)
    assert form is not None
    return form.text


def submission(form_type: str, content: str) -> str:
    return (
        f"<edgarSubmission><headerData><submissionType>{form_type}</submissionType></headerData>"
        f"<formData>{content}</formData></edgarSubmission>"
    )


def test_form_4_reads_as_its_rendering() -> None:
    assert text(FORM_4) == FORM_4_LINES


def test_prefixes_of_names_are_left_out() -> None:
    prefixed = re.sub(r"<(/?)(\w)", r"<\1ns1:\2", FORM_4)
    assert text(prefixed) == FORM_4_LINES


def test_older_form_without_coding_is_read() -> None:
    bare = re.sub("<transactionCoding>.*?</transactionCoding>", "", FORM_4, flags=re.DOTALL)
    assert "Insider transaction on 2025-04-30\n2,590 (1) shares" in text(bare)


def test_information_table_is_a_table() -> None:
    table = (
        '<t:informationTable xmlns:t="x"><t:infoTable><t:nameOfIssuer>MOSS INC</t:nameOfIssuer>'
        "<t:titleOfClass>COM</t:titleOfClass><t:cusip>999000101</t:cusip><t:value>7423</t:value>"
        "<t:shrsOrPrnAmt><t:sshPrnamt>22507</t:sshPrnamt><t:sshPrnamtType>SH</t:sshPrnamtType>"
        "</t:shrsOrPrnAmt><t:investmentDiscretion>SOLE</t:investmentDiscretion>"
        "<t:votingAuthority><t:Sole>1</t:Sole><t:Shared>0</t:Shared><t:None>22506</t:None>"
        "</t:votingAuthority><t:extra>kept</t:extra></t:infoTable></t:informationTable>"
    )
    title, empty, head, row, *rest = text(table).split("\n")
    assert title == "Form 13F information table"
    assert empty == ""
    cells = dict(zip(head.split("\t"), row.split("\t"), strict=True))
    assert cells["Name of issuer"] == "MOSS INC"
    assert cells["Value"] == "7,423"
    assert cells["Put or call"] == ""
    assert cells["Voting authority: none"] == "22,506"
    assert [line for line in rest if line] == ["Information table", "Extra: kept"]


@pytest.mark.parametrize(
    ("form_type", "content", "expected"),
    [
        (
            "SCHEDULE 13D/A",
            "<reportingPersons><reportingPersonInfo><percentOfClass>8.5</percentOfClass>"
            "<typeOfReportingPerson>PN</typeOfReportingPerson></reportingPersonInfo>"
            "</reportingPersons>",
            "Reporting person\nPercent of class: 8.5\nType of reporting person: PN, partnership",
        ),
        (
            "144",
            "<securitiesInformation><aggregateMarketValue>1282000.00</aggregateMarketValue>"
            "</securitiesInformation>",
            "Securities to be sold\nAggregate market value: 1,282,000.00",
        ),
        (
            "NPORT-P",
            "<genInfo><regStateConditional regCountry='US' regState='US-AL'/></genInfo>"
            "<invstOrSecs><invstOrSec><assetCat>EC</assetCat>"
            "<identifiers><isin value='US99'/></identifiers></invstOrSec></invstOrSecs>",
            "Part A: General information\nRegistrant state conditional: Registrant country US;"
            " Registrant state US-AL\n\nInvestment\nAsset type: EC, equity-common"
            "\n\nIdentifiers\nISIN: US99",
        ),
        (
            "D",
            "<federalExemptionsExclusions><item>06b</item></federalExemptionsExclusions>",
            "Federal exemptions exclusions\nFederal exemption or exclusion claimed:"
            " 06b, Rule 506(b)",
        ),
        (
            "C",
            "<issuerAddress><com:street1>1 Road</com:street1><com:stateOrCountry>A6"
            "</com:stateOrCountry></issuerAddress>",
            "Form data\nIssuer address: 1 Road, A6, Ontario, Canada",
        ),
    ],
)
def test_other_forms_are_labelled(form_type: str, content: str, expected: str) -> None:
    assert text(submission(form_type, content)).endswith(f"\n\n{expected}")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("totAssets", "Total assets"),
        ("isCleared", "Cleared"),
        ("issuerCIK", "Issuer CIK"),
        ("amendmentNo", "Amendment number"),
        ("registrantstreet1", "Registrantstreet 1"),
    ],
)
def test_names_of_elements_are_written_in_words(name: str, words: str) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    "xml",
    [
        "<unknown><a>1</a></unknown>",
        "<edgarSubmission><submissionType>ATS-N</submissionType></edgarSubmission>",
        FORM_4.replace("</issuer>", ""),
        FORM_4[:900],
        '<!DOCTYPE a [<!ENTITY e "moss">]>' + FORM_4.partition("?>")[2],
        FORM_4.replace("<footnotes>", "<a>" * DEEPEST + "</a>" * DEEPEST + "<footnotes>"),
    ],
    ids=["unknown", "unknown form", "broken", "truncated", "entities", "deep"],
)
def test_other_xml_is_no_form(xml: str) -> None:
    assert form_text(xml) is None


VALUES = st.text(
    st.sampled_from("aé<&>\"' \n\t\r12,.\U0001f600") | st.characters(exclude_categories=["C"]),
    max_size=40,
)


@given(VALUES, VALUES)
def test_places_are_those_of_the_values(title: str, note: str) -> None:
    def escaped(value: str) -> str:
        return value.replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#13;")

    xml = FORM_4.replace("Common Stock", escaped(title)).replace("By plan.", escaped(note))
    form = form_text(xml)
    assert form is not None
    at = 0
    for start, end, source_start, source_end in form.spans():
        assert start >= at
        at = end
        source = xml[source_start:source_end]
        assert form.text[start:end] == source or (end - start == 1 and source[0] == "&")
    for value in (title, note):
        assert " ".join(value.split()) in " ".join(form.text.split())


def test_every_value_of_nested_groups_is_written() -> None:
    # Groups that are made for a moment share addresses in memory, one after the other.
    groups = 200
    content = "".join(
        f'<outer{n} flag{n}="outer value {n}"><inner{n} mark{n}="inner value {n}">'
        f"<leaf{n}>leaf value {n}</leaf{n}> text value {n} </inner{n}></outer{n}>"
        for n in range(groups)
    )
    for whole in (content, f"<around>{content}</around>"):
        written = text(submission("N-CEN", whole))
        for kind in ("outer", "inner", "leaf", "text"):
            for n in range(groups):
                assert re.search(rf"{kind} value {n}\b", written), (kind, n)


def test_every_value_of_real_forms_is_in_the_text_once(corpus: Path) -> None:
    number = 0
    for path in sorted((corpus / "forms").glob("*/*.xml")):
        xml = path.read_text("utf-8-sig")
        form = form_text(xml)
        assert form is not None, path
        covered = bytearray(len(xml))
        for _, _, start, end in form.spans():
            assert not any(covered[start:end]), path
            covered[start:end] = b"\1" * (end - start)
        without_comments = re.sub("<!--.*?-->", lambda m: " " * len(m[0]), xml, flags=re.DOTALL)
        for match in re.finditer(r"(?<=>)[^<>]+(?=</)", without_comments):
            # White space is written anew; it may be an entity.
            filed = re.sub(r"&#(?:9|10|13|x0?[9aAdD]);", lambda m: " " * len(m[0]), match[0])
            for place, character in enumerate(filed, match.start()):
                assert covered[place] or character.isspace(), (path, match[0])
        number += 1
    assert number >= 25
