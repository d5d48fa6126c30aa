"""What was looked at, and what was found."""

from typing import Literal, NamedTuple

Level = Literal["ok", "warning", "wrong"]


class Finding(NamedTuple):
    """One line of the report; `remedy` says what to do where it is not ok."""

    level: Level
    what: str
    text: str
    remedy: str = ""

    @property
    def line(self) -> str:
        """For a person."""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.level:7} {self.what}: {self.text}{remedy}"


def ok(what: str, text: str) -> Finding:
    """What is as it should be."""
    return Finding("ok", what, text)


def warning(what: str, text: str, remedy: str) -> Finding:
    """What works, and will not for ever, or could not be looked at."""
    return Finding("warning", what, text, remedy)


def wrong(what: str, text: str, remedy: str) -> Finding:
    """What keeps the installation from working."""
    return Finding("wrong", what, text, remedy)


def worst(findings: list[Finding]) -> Level:
    """The worst level of a report."""
    levels = {finding.level for finding in findings}
    return "wrong" if "wrong" in levels else "warning" if "warning" in levels else "ok"
