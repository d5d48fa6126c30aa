"""Parts of proxy statements and of Form 40-F, by their titles."""

import re
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.edgar.items import PROXY_FORMS, TITLED_FORMS
from ingest.reading.sections.part_titles import FORM_40F, PROXY_STATEMENT
from ingest.reading.sections.report_text import ReportText
from ingest.reading.transform import sections_of_form
from tests.support.engines import CHECKOUT
from tests.unit.sections.test_sections import PROSE, shown, text_of_report

DAY = date(2021, 1, 5)
# Titles of a proxy statement, and those that are below another one.
TITLES = [
    "General Information",
    "Proposal 1: Election of Directors",
    "  Nominees",
    "Proposal 2: Ratification of Our Auditors",
    "Audit Committee Report",
    "Compensation Discussion and Analysis",
    "  How We Pay",
    "Compensation Committee Report",
    "Executive Compensation",
    "  Summary Compensation Table",
    "  Grants of Plan-Based Awards",
    "Security Ownership of Certain Beneficial Owners and Management",
    "Certain Relationships and Related Transactions",
    "Other Matters",
    "Annex A: Stock Plan",
]
CANADIAN = [
    "Disclosure Controls and Procedures",
    "Audit Committee Financial Expert",
    "Code of Ethics",
    "Principal Accountant Fees and Services",
    "Off-Balance Sheet Arrangements",
    "Undertaking and Consent to Service of Process",
    "Signatures",
]


def capitals(title: str) -> str:
    """Return a title in capitals, if it is not below another one."""
    return title.strip() if title.startswith(" ") else title.upper()


def small(title: str) -> str:
    return title.strip()


def contents(titles: list[str], case: object = small) -> str:
    rows = "".join(
        f"<tr><td>{case(title)}</td><td>{page}</td></tr>"  # type: ignore[operator]
        for page, title in enumerate(titles, start=1)
    )
    return f"<table>{rows}</table>"


def part(title: str) -> str:
    return f"<p>{title}</p>{PROSE}"


def found(markup: str, form_type: str = "DEF 14A") -> dict[str, str]:
    report = text_of_report(f"<html><p>Cover</p>{markup}</html>")
    return {
        each.item: " ".join(report.text[each.start : each.end].split())
        for each in sections_of_form(form_type, DAY, report)
    }


def found_in_plain(text: str) -> dict[str, str]:
    sections = sections_of_form("DEF 14A", DAY, ReportText(text, is_plain=True))
    return {
        section.item: " ".join(text[section.start : section.end].split()) for section in sections
    }


def parts(*titles: str) -> str:
    """Return the words of these parts."""
    return shown("".join(map(part, titles)))


def proxy(case: object, titles: list[str] = TITLES) -> dict[str, str]:
    body = "".join(part(case(title)) for title in titles)  # type: ignore[operator]
    return found(contents(titles, case) + body)


def test_titles_in_capitals_have_the_titles_below_them() -> None:
    assert proxy(capitals) == {
        "themeeting": parts("GENERAL INFORMATION"),
        "proposal1": parts("PROPOSAL 1: ELECTION OF DIRECTORS", "Nominees"),
        "proposal2": parts("PROPOSAL 2: RATIFICATION OF OUR AUDITORS"),
        "auditcommitteereport": parts("AUDIT COMMITTEE REPORT"),
        "compensationdiscussionandanalysis": parts(
            "COMPENSATION DISCUSSION AND ANALYSIS", "How We Pay"
        ),
        "compensationcommitteereport": parts("COMPENSATION COMMITTEE REPORT"),
        "executivecompensation": parts(
            "EXECUTIVE COMPENSATION", "Summary Compensation Table", "Grants of Plan-Based Awards"
        ),
        "securityownership": parts(capitals(TITLES[11])),
        "relatedtransactions": parts(capitals(TITLES[12])),
        "othermatters": parts("OTHER MATTERS"),
    }


def test_titles_of_one_case_have_those_that_always_belong_to_them() -> None:
    assert proxy(small) == {
        "themeeting": parts("General Information"),
        "proposal1": parts("Proposal 1: Election of Directors", "Nominees"),
        # The report may belong to the second proposal.
        "auditcommitteereport": parts("Audit Committee Report"),
        "compensationdiscussionandanalysis": parts(
            "Compensation Discussion and Analysis", "How We Pay"
        ),
        "compensationcommitteereport": parts("Compensation Committee Report"),
        "executivecompensation": parts(
            "Executive Compensation", "Summary Compensation Table", "Grants of Plan-Based Awards"
        ),
        "securityownership": parts(TITLES[11]),
        "relatedtransactions": parts(TITLES[12]),
        "othermatters": parts("Other Matters"),
    }


def test_pages_may_be_before_the_titles_of_the_contents() -> None:
    rows = "".join(
        f"<tr><td>{page}</td><td>{title.strip()}</td></tr>" for page, title in enumerate(TITLES, 1)
    )
    body = "".join(part(title.strip()) for title in TITLES)
    assert found(f"<table>{rows}</table>{body}") == proxy(small)


def test_part_before_a_title_that_may_belong_to_it_is_absent() -> None:
    titles = [*TITLES[:12], "What Our Directors Own", *TITLES[12:]]
    assert "securityownership" not in proxy(small, titles)
    assert proxy(capitals, titles)["securityownership"] == parts(TITLES[11].upper())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Proxy Summary", "Proposal 1: Election of Directors"),
        ("General Information", "Forward-Looking Statements"),
        ("Proposal 4: More Moss", "Corporate Governance"),
        ("Proposal 4: Vote on Pay", "Compensation Discussion and Analysis"),
        ("Executive Compensation", "Compensation Discussion and Analysis"),
        ("Security Ownership of Management", "Section 16(a) Reports"),
        ("Corporate Governance", "Certain Relationships"),
    ],
)
def test_part_before_a_title_that_is_as_often_below_it_is_absent(before: str, after: str) -> None:
    others = ["Householding", "Other Matters", "Annex A", "Annex B", "Annex C", "Annex D"]
    sections = proxy(small, [before, after, *others])
    assert [each for each in sections.values() if each.startswith(before)] == []


def test_discussion_below_a_heading_in_capitals_too_leaves_out_that_heading() -> None:
    titles = [*TITLES[:5], "Executive Compensation", *TITLES[5:8], *TITLES[11:]]
    sections = proxy(capitals, titles)
    assert "executivecompensation" not in sections
    wanted = parts("COMPENSATION DISCUSSION AND ANALYSIS", "How We Pay")
    assert sections["compensationdiscussionandanalysis"] == wanted


def test_titles_of_tables_are_parts_if_the_one_above_them_is_not_certain() -> None:
    titles = [*TITLES[:11], "How Risky Our Pay Is", *TITLES[11:]]
    sections = proxy(small, titles)
    assert "executivecompensation" not in sections
    assert sections["summarycompensationtable"] == parts("Summary Compensation Table")


def test_two_titles_of_one_subject_are_one_part() -> None:
    titles = [*TITLES[:12], "Security Ownership of Directors", *TITLES[12:]]
    wanted = parts(TITLES[11], "Security Ownership of Directors")
    assert proxy(small, titles)["securityownership"] == wanted


def test_proposal_is_found_by_its_number_if_its_heading_has_other_words() -> None:
    titles = [*TITLES[:4], "Proposal 3: More Moss", *TITLES[5:]]
    heading = "<table><tr><td>Proposal 2.</td><td>Appointment of Auditors</td></tr></table>"
    body = "".join(part(title.strip()) for title in titles)
    body = body.replace("<p>Proposal 2: Ratification of Our Auditors</p>", heading)
    sections = found(contents(titles) + body)
    assert sections["proposal1"] == parts(TITLES[1], "Nominees")
    assert sections["proposal2"] == shown(heading + PROSE)


def test_heading_may_be_in_two_lines_and_no_ruler_is_one() -> None:
    body = "".join(part(title.strip()) for title in TITLES)
    heading = "<p>Certain Relationships</p><p>and Related Transactions</p>"
    body = body.replace(f"<p>{TITLES[12]}</p>", f"<p>-----</p>{heading}")
    assert found(contents(TITLES) + body)["relatedtransactions"] == shown(heading + PROSE)


def test_annex_that_the_contents_leave_out_ends_the_last_part() -> None:
    body = "".join(part(title.strip()) for title in TITLES[:-1]) + part("ANNEX A") + part("ANNEX B")
    assert found(contents(TITLES[:-1]) + body)["othermatters"] == parts("Other Matters")


def test_annex_is_found_by_its_letter() -> None:
    body = "".join(part(title.strip()) for title in TITLES).replace(
        "Annex A: Stock Plan", "ANNEX A"
    )
    assert found(contents(TITLES) + body)["othermatters"] == parts("Other Matters")


def test_part_is_absent_if_its_heading_or_its_end_is_not_found() -> None:
    body = "".join(part(title.strip()) for title in TITLES if "Relationships" not in title)
    sections = found(contents(TITLES) + body)
    assert sections.keys().isdisjoint({"securityownership", "relatedtransactions"})
    assert "othermatters" in sections


def test_title_over_two_lines_of_the_contents_hides_no_part() -> None:
    titles = contents(TITLES).replace(
        "<td>Certain Relationships and Related",
        "<td>Certain Relationships</td></tr><tr><td>and Related",
    )
    sections = found(titles + "".join(part(title.strip()) for title in TITLES))
    assert sections.keys().isdisjoint({"securityownership", "relatedtransactions"})


def test_list_of_people_and_their_ages_is_no_contents() -> None:
    people = "".join(f"<tr><td>Moss Fern {n}</td><td>{n}</td></tr>" for n in range(40, 60))
    body = part("PROPOSAL 1") + part("PROPOSAL 2") + part("OTHER MATTERS")
    wanted = {"proposal1": parts("PROPOSAL 1"), "proposal2": parts("PROPOSAL 2")}
    assert found(f"<table>{people}</table>{body}") == wanted


def test_proposals_without_contents_are_found_by_lines_in_capitals() -> None:
    numbered = "<p>REVERSE SPLIT</p><p>(Proposal No. 2)</p>"
    titled = "<p>PROPOSAL 3</p><p>OF A LARGER BOARD</p>"
    sections = found(
        part("PROPOSAL 1")
        + part("Why We Ask")
        + numbered
        + PROSE
        + titled
        + PROSE
        + part("OTHER MATTERS")
        + part("Annex A")
    )
    assert sections == {
        "proposal1": parts("PROPOSAL 1", "Why We Ask"),
        "proposal2": shown(numbered + PROSE),
        "proposal3": shown(titled + PROSE),
        "othermatters": parts("OTHER MATTERS"),
    }


@pytest.mark.parametrize(
    "between", ["HOW WE PAY", "EQUITY COMPENSATION PLANS", "Security Ownership of Management"]
)
def test_proposal_without_contents_is_absent_if_another_heading_may_end_it(between: str) -> None:
    sections = found(
        part("PROPOSAL 1") + part(between) + part("PROPOSAL 2") + part("OTHER MATTERS")
    )
    assert sections == {"proposal2": parts("PROPOSAL 2")}


def test_plain_text_has_its_headings_in_the_middle_of_lines() -> None:
    prose = "We make boxes of marble, and sell them to those who like\nthem.\n\n"
    row = "   NAME OF A HOLDER            SHARES\n\n"
    first = f"PROPOSAL 1\n             OF A LARGER BOARD\n\n{prose}{row}"
    second = f"PROPOSAL 2\n\n{prose}"
    assert found_in_plain(f"{'':14}{first}{'':14}{second}{'':14}OTHER MATTERS\n\n{prose}") == {
        "proposal1": " ".join(first.split()),
        "proposal2": " ".join(second.split()),
    }


def test_heads_of_pages_end_no_proposal() -> None:
    page = "<p>MARBLE & MOSS CORP</p>" + PROSE
    sections = found(part("PROPOSAL 1") + page * 3 + part("PROPOSAL 2") + part("OTHER MATTERS"))
    assert sections["proposal1"] == shown(part("PROPOSAL 1") + page * 3)


def test_proposal_whose_heading_comes_again_is_absent() -> None:
    body = part("PROPOSAL 1") + part("PROPOSAL 2") + part("PROPOSAL 1") + part("OTHER MATTERS")
    assert found(body) == {"proposal2": parts("PROPOSAL 2")}


@pytest.mark.parametrize("case", [str, str.upper, lambda title: f"B. {title}"])
def test_titles_of_form_40f_are_parts(case: object) -> None:
    titles = [case(title) for title in CANADIAN]  # type: ignore[operator]
    fees = part("Audit-Related Fees")
    body = "".join(part(title) + (fees if "ACC" in title.upper()[:16] else "") for title in titles)
    sections = found(body, "40-F")
    assert sections == {
        "disclosurecontrolsandprocedures": parts(titles[0]),
        "auditcommitteefinancialexpert": parts(titles[1]),
        "codeofethics": parts(titles[2]),
        "principalaccountantfeesandservices": parts(titles[3], "Audit-Related Fees"),
        "offbalancesheetarrangements": parts(titles[4]),
        "undertakings": parts(titles[5]),
    }


def test_contents_of_form_40f_without_pages_are_no_headings() -> None:
    listed = "".join(f"<p>{title}</p>" for title in CANADIAN)
    body = "".join(map(part, CANADIAN))
    assert found(listed + PROSE + body, "40-F") == found(body, "40-F")


def test_part_of_form_40f_before_an_unknown_heading_is_absent() -> None:
    body = part("Code of Ethics") + part("How We Mine") + part("Undertakings") + part("Signatures")
    assert found(body, "40-F") == {"undertakings": parts("Undertakings")}


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        (
            "<p>SECURITY OWNERSHIP OF OUR BOARD</p>",
            ("securityownership", "Security ownership", "SECURITY OWNERSHIP OF OUR BOARD"),
        ),
        ("<p>PROPOSAL 1</p>", ("proposal1", "Proposal 1", "Proposal 1")),
        ("<p>PROPOSAL NO. 1: A LARGER BOARD</p>", ("proposal1", "Proposal 1", "A LARGER BOARD")),
        ("<p>PROPOSAL ONE</p><p>NO MOSS</p>", ("proposal1", "Proposal 1", "NO MOSS")),
        ("<p>NO MOSS</p><p>(Proposal No. 1)</p>", ("proposal1", "Proposal 1", "NO MOSS")),
    ],
)
def test_what_a_part_says_of_itself(heading: str, said: tuple[str, str, str]) -> None:
    report = text_of_report(f"<html>{heading}{PROSE}{part('PROPOSAL 2')}</html>")
    (section,) = sections_of_form("DEF 14A", DAY, report)
    assert section[:3] == said


def test_every_section_is_in_the_documentation() -> None:
    page = (CHECKOUT / "docs" / "sections.md").read_text("utf-8")
    table = page[page.index("### Parts with titles") : page.index("The rules, of")]
    titles = [*PROXY_STATEMENT.titles, *FORM_40F.titles]
    names = {re.sub(r"\W", "", each.name).lower() for each in titles if each.name}
    assert set(re.findall("`([a-z0-9]+)`", table)) == names | {"proposal1"}


@pytest.mark.parametrize("form_type", sorted(PROXY_FORMS))
def test_proxy_statements_of_every_kind_have_parts(form_type: str) -> None:
    assert found(part("PROPOSAL 1") + part("PROPOSAL 2"), form_type).keys() == {"proposal1"}


@pytest.mark.parametrize("form_type", ["DEFA14A", "DEFC14C", "6-K"])
def test_letters_to_holders_have_no_parts(form_type: str) -> None:
    assert found(part("PROPOSAL 1") + part("PROPOSAL 2"), form_type) == {}


PIECES = [
    *(f"\n{title.strip()}" for title in TITLES + CANADIAN),
    *(f"\n{title.strip().upper()}" for title in TITLES + CANADIAN),
    *(
        "\n",
        "\n\n",
        "\t",
        " 12",
        "\t7\n",
        "....",
        "word ",
        "\n(Proposal No. 3)\n",
        "    ",
        "\xa0\u0130",
    ),
]


@given(
    st.sampled_from(sorted(TITLED_FORMS)),
    st.one_of(st.text(max_size=400), st.lists(st.sampled_from(PIECES), max_size=120).map("".join)),
)
def test_parts_are_in_order_inside_the_text(form_type: str, text: str) -> None:
    sections = sections_of_form(form_type, DAY, ReportText(text, is_plain=False))
    edges = [edge for section in sections for edge in (section.start, section.end)]
    assert edges == sorted(edges)
    assert all(section.start < section.end for section in sections)
    assert len({section.item for section in sections}) == len(sections)


@pytest.mark.parametrize("form_type", ["DEF 14A", "40-F"])
@pytest.mark.parametrize(
    "piece",
    [
        "PROPOSAL 1\n",
        "Code of Ethics\n\nWord\n",
        "Security Ownership\t7\n",
        "Security Ownership" + "\t" * 400 + "\n",
        "security stock share " * 19 + "\n",
        "HOW WE PAY" + "." * 390 + "\n",
        "".join(f"{title.strip()}\t7\n" for title in TITLES) + "word word\n" * 60,
    ],
)
@pytest.mark.parametrize("size", [1_000_000, pytest.param(20_000_000, marks=pytest.mark.long)])
def test_time_grows_with_the_text_alone(form_type: str, piece: str, size: int) -> None:
    def seconds(length: int) -> float:
        report = ReportText(piece * (length // len(piece)), is_plain=False)
        began = time.process_time()
        sections_of_form(form_type, DAY, report)
        return time.process_time() - began

    assert seconds(size) < max(3 + size / 1_000_000, 2 * 4 * seconds(size // 4))
