"""Blocks that only some headers have: filing values, series, and fields by name."""

from datetime import date

import pytest

from edgar_search.edgar.header import FilingValues, FundClass, Header, Series, parse_header
from edgar_search.edgar.submission import parse_submission
from edgar_search.errors import MalformedSubmission
from tests.unit.submissions.made_up import FILER, HEADER, LINES, TAGGED_HEADER, TWO, feed_submission

SERIES = """\
<SERIES-AND-CLASSES-CONTRACTS-DATA>
<EXISTING-SERIES-AND-CLASSES-CONTRACTS>
<SERIES>
<OWNER-CIK>0009990009
<SERIES-ID>S000000001
<SERIES-NAME>Moss Fund
<CLASS-CONTRACT>
<CLASS-CONTRACT-ID>C000000001
<CLASS-CONTRACT-NAME>Class A
<CLASS-CONTRACT-TICKER-SYMBOL>MOSSX
</CLASS-CONTRACT>
<CLASS-CONTRACT>
<CLASS-CONTRACT-ID>C000000002
</CLASS-CONTRACT>
</SERIES>
</EXISTING-SERIES-AND-CLASSES-CONTRACTS>
<NEW-SERIES-AND-CLASSES-CONTRACTS>
<OWNER-CIK>9990010
<NEW-SERIES>
<SERIES-ID>S000000002
<SERIES-NAME>Lichen Fund
</NEW-SERIES>
</NEW-SERIES-AND-CLASSES-CONTRACTS>
<MERGER-SERIES-AND-CLASSES-CONTRACTS>
<MERGER>
<ACQUIRING-DATA>
<CIK>0009990009
<SERIES>
<SERIES-ID>S000000001
</SERIES>
</ACQUIRING-DATA>
<TARGET-DATA>
<CIK>0009990011
<SERIES>
<SERIES-ID>S000000003
<CLASS-CONTRACT>
<CLASS-CONTRACT-ID>C000000003
</CLASS-CONTRACT>
</SERIES>
</TARGET-DATA>
</MERGER>
</MERGER-SERIES-AND-CLASSES-CONTRACTS>
"""
END = "</SERIES-AND-CLASSES-CONTRACTS-DATA>\n"
READ = (
    Series(
        "existing",
        "0009990009",
        "S000000001",
        "Moss Fund",
        (FundClass("C000000001", "Class A", "MOSSX"), FundClass("C000000002")),
    ),
    Series("new", "0009990010", "S000000002", "Lichen Fund", ()),
    Series("acquiring", "0009990009", "S000000001", None, ()),
    Series("target", "0009990011", "S000000003", None, (FundClass("C000000003"),)),
)


def parsed(header: str) -> Header:
    return parse_header(header.encode())


@pytest.mark.parametrize("header", [HEADER, TAGGED_HEADER])
def test_series_and_classes(header: str) -> None:
    read = parsed(header + SERIES + END)
    assert read.series == READ
    assert (read.entities, read.unknown_fields) == (parsed(header).entities, ())


@pytest.mark.parametrize("following", [FILER, "GROUP MEMBERS:\tMOSS\n" + FILER])
def test_series_without_their_end_hide_nothing_behind_them(following: str) -> None:
    read = parsed(LINES + SERIES + following)
    assert read.series == READ
    assert [entity.cik for entity in read.entities] == ["0009990001"]


@pytest.mark.parametrize("end", ["</MULTI-ACCESSION-NUMBERS>\n", ""])
def test_other_accession_numbers_are_not_this_one(end: str) -> None:
    others = "<MULTI-ACCESSION-NUMBERS>\nACCESSION NUMBER:\t0009990001-21-000041\n"
    read = parsed(f"{others}{end}{HEADER}")
    assert read.accession_number == "0009990001-21-000042"
    assert read.others == (("MULTI ACCESSION NUMBERS", "0009990001-21-000041"),)


def test_several_sets_of_filing_values() -> None:
    more = "\tFILING VALUES:\n\t\tFORM TYPE:\tS-8\n\t\tSEC FILE NUMBER:\t333-1\n\n\tBUSINESS ADDR"
    (entity,) = parsed(HEADER.replace("\tBUSINESS ADDR", more)).entities
    assert entity.filing_values == (
        FilingValues("8-K", "1934 Act", "099-00001", "21000001"),
        FilingValues("S-8", None, "333-1"),
    )
    assert parsed(
        HEADER.replace("\tBUSINESS ADDR", more[len("\tFILING VALUES:\n") :])
    ).entities == (entity,)


def test_relationship_of_a_reporting_owner() -> None:
    header = HEADER.replace("\tFILING VALUES", "<RELATIONSHIP>DIRECTOR\n\tFILING VALUES")
    assert parsed(header).entities[0].relationship == "DIRECTOR"


def test_group_members_and_dates() -> None:
    lines = "GROUP MEMBERS:\tMOSS\nGROUP MEMBERS:\tSTONE\nEFFECTIVENESS DATE:\t20210107\n"
    read = parsed(lines + HEADER)
    assert read.group_members == ("MOSS", "STONE")
    assert (read.change_date, read.effectiveness_date) == (date(2021, 1, 5), date(2021, 1, 7))


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("<PRIVATE-TO-PUBLIC>", "PRIVATE TO PUBLIC", ""),
        ("<CORRECTION>", "CORRECTION", ""),
        ("CONFIRMING COPY:", "CONFIRMING COPY", ""),
        ("<PAPER>", "PAPER", ""),
        ("SROS:\t\t\tNYSE", "SROS", "NYSE"),
        ("REFERENCES 429:\t\t033-00001", "REFERENCES 429", "033-00001"),
        ("<DEPOSITOR-CIK>0009990002", "DEPOSITOR CIK", "0009990002"),
        ("<SECURITIZER-FILE-NUMBER>025-00001", "SECURITIZER FILE NUMBER", "025-00001"),
        ("PERIOD START:\t20200101", "PERIOD START", "20200101"),
        ("<TIMESTAMP>20210105091500", "TIMESTAMP", "20210105091500"),
        ("<IS-FUND-24F2-ELIGIBLE>N", "IS FUND 24F2 ELIGIBLE", "N"),
    ],
)
def test_fields_of_some_forms_are_kept_by_name(line: str, name: str, value: str) -> None:
    read = parsed(f"{line}\n{HEADER}")
    assert (read.others, read.unknown_fields) == (((name, value),), ())


def test_unknown_fields_are_kept_and_named() -> None:
    read = parsed(f"SHOE SIZE:\t44\n{HEADER}<HAT_SIZE>7\n")
    assert read.others == (("SHOE SIZE", "44"), ("HAT SIZE", "7"))
    assert read.unknown_fields == ("HAT_SIZE", "SHOE SIZE")


def test_second_value_of_a_field_is_kept_and_named() -> None:
    read = parsed(
        HEADER.replace("\t\tZIP:", "\t\tCITY:\tLICHENFIELD\n\t\tCITY:\tSTONEFIELD\n\t\tZIP:")
    )
    assert (read.others, read.unknown_fields) == ((("CITY", "LICHENFIELD"),), ("CITY",))
    assert read.entities == parsed(HEADER).entities


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("CONFORMED PERIOD OF REPORT:\t20200230", "period that is none", "20200230"),
        ("PUBLIC DOCUMENT COUNT:\tmany", "public document count that is none", "many"),
        ("<ACCEPTANCE-DATETIME>20211304171500", "accepted at that is none", "20211304171500"),
    ],
)
def test_value_that_cannot_be_read_is_kept_and_named(line: str, name: str, value: str) -> None:
    label = line.partition(value)[0].strip()
    others = [splitline for splitline in HEADER.splitlines() if not splitline.startswith(label)]
    read = parsed("\n".join([line, *others]))
    assert (read.others, read.unknown_fields) == (((name, value),), (name,))


@pytest.mark.parametrize(
    "role",
    ["FILED BY", "FILED FOR", "SERIAL COMPANY", "DEPOSITOR", "SECURITIZER", "ISSUING_ENTITY"],
)
def test_roles_of_some_forms(role: str) -> None:
    tagged = TAGGED_HEADER.replace("<FILER>", f"<{role}>").replace("</FILER>", f"</{role}>")
    read = parsed(tagged.replace("FILED BY", "FILED-BY"))
    assert [entity.role for entity in read.entities] == [role.replace("_", " ")]
    assert read.unknown_fields == ()


def test_notice_of_a_deletion_is_no_submission() -> None:
    header = TAGGED_HEADER.replace("<TYPE>", "<DELETION>\n<TYPE>").replace("COUNT>2", "COUNT>0")
    with pytest.raises(MalformedSubmission) as refused:
        parse_submission(feed_submission(header=header))
    assert str(refused.value) == "EDGAR's notice that it has deleted this submission"


def test_correction_is_a_submission() -> None:
    header = TAGGED_HEADER.replace("<TYPE>", "<CORRECTION>\n<TYPE>")
    read = parse_submission(feed_submission(*TWO, header=header))
    assert read.header.others == (("CORRECTION", ""),)
    assert len(read.documents) == 2
