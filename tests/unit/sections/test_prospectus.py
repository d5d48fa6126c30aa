"""Parts of a prospectus, by its table of contents."""

import pytest

from ingest.reading.sections.prospectus import prospectus_parts
from tests.unit.sections.test_sections import PROSE, shown, text_of_report

TITLES = [
    "Prospectus Summary",
    "Risk Factors",
    "Forward-Looking Statements",
    "Use of Proceeds",
    "Dividend Policy",
    "Dilution",
    "Business",
    "Management",
    "Experts",
    "Where You Can Find More Information",
]
NAMED = [title for title in TITLES if not title.startswith("Forward")][:-1]
CONTENTS = "".join(
    f"<tr><td>{title}</td><td>{page}</td></tr>" for page, title in enumerate(TITLES, start=1)
)


def prospectus(body: str, contents: str = CONTENTS) -> dict[str, str]:
    report = text_of_report(f"<html><p>Cover</p><table>{contents}</table>{body}</html>")
    return {
        each.item: " ".join(report.text[each.start : each.end].split())
        for each in prospectus_parts(report)
    }


def part(title: str) -> str:
    return f"<p>{title.upper()}</p>{PROSE}"


def item(title: str) -> str:
    return title.replace(" ", "").lower()


def test_parts_end_where_the_next_entry_of_the_contents_begins() -> None:
    found = prospectus("".join(map(part, TITLES)))
    assert found == {item(title): shown(part(title)) for title in NAMED}


def test_caption_of_the_same_words_in_another_part_is_not_the_part() -> None:
    body = "".join(map(part, TITLES))
    summary = part("Prospectus Summary")
    found = prospectus(body.replace(summary, f"{summary}<p>Use of Proceeds</p>{PROSE}"))
    assert found["useofproceeds"] == shown(part("Use of Proceeds"))


@pytest.mark.parametrize("lacking", ["Use of Proceeds", "Dividend Policy"])
def test_part_is_absent_if_its_heading_or_the_next_is_not_certain(lacking: str) -> None:
    body = "".join(part(title) for title in TITLES if title != lacking)
    assert "useofproceeds" not in prospectus(body)
    assert "riskfactors" in prospectus(body)


def test_title_may_be_in_two_lines() -> None:
    heading = "<p>WHERE YOU CAN</p><p>FIND MORE INFORMATION</p>"
    body = "".join(map(part, TITLES)).replace(f"<p>{TITLES[-1].upper()}</p>", heading)
    assert prospectus(body)["experts"] == shown(part("Experts"))


def test_prospectus_without_contents_has_no_parts() -> None:
    assert prospectus("".join(map(part, TITLES)), "") == {}


def test_time_and_memory_grow_with_the_text_alone() -> None:
    report = text_of_report("<html>" + "<p>Risk Factors\t7</p><p>Dilution\t8</p>" * 20_000)
    assert prospectus_parts(report) == []
