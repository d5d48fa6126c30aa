"""Regular expressions that all Pythons from 3.11.0 on understand alike."""

import re

from tests.support.engines import CHECKOUT

FILES = [*(CHECKOUT / "src").rglob("*.py"), *(CHECKOUT / "ingest").rglob("*.py")]
# Python before 3.11.5 finds wrong matches of these, or looks for ever; an atomic group is the same.
# In an f-string braces are double, and what is between them may be a name.
POSSESSIVE_GROUP = re.compile(r"[^(]\)(?:[*+?]|\{[\d,]+\}|\{\{.*?\}\})\+")


def test_there_are_patterns() -> None:
    assert len(FILES) > 100
    assert POSSESSIVE_GROUP.search("(?:ab?c)*+")
    assert POSSESSIVE_GROUP.search("(?:ab?c){{{LEAST - 1},}}+")


def test_no_group_is_possessive() -> None:
    found = {
        f"{path.relative_to(CHECKOUT)}: {line}"
        for path in FILES
        for line in path.read_text().splitlines()
        if POSSESSIVE_GROUP.search(line)
    }
    assert found == set()
