"""The engine's tokens of a text, against a table and against this project's own rules."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.edgar.submission import parse_submission
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.text.document_text import searchable_text
from edgar_search.text.words import tokens

pytestmark = [pytest.mark.anyio, pytest.mark.shared_installation]

# Text as it is indexed, and its tokens.
TABLE = {
    "10-K": ["10", "k"],
    "10-K/A": ["10", "k", "a"],
    "AT&T": ["at", "t"],
    "U.S. dollars": ["u.s", "dollars"],
    "1,234.5 and 3.": ["1,234.5", "and", "3"],
    "(1,234)": ["1,234"],
    "401(k)": ["401", "k"],
    "o'clock": ["o'clock"],
    "the Company's": ["the", "company's"],
    "Companies' profits": ["companies", "profits"],
    "Nestl\u00e9": ["nestl\u00e9"],
    "\u00c9TAT \u0130Z": ["\u00e9tat", "iz"],
    "\u03a3\u039f\u03a6\u039f\u03a3": ["\u03c3\u03bf\u03c6\u03bf\u03c3"],
    "foo_bar __init__": ["foo_bar", "__init__"],
    "exhibit_99.1": ["exhibit_99.1"],
    "10.1*": ["10.1"],
    "us-gaap:Revenues": ["us", "gaap:revenues"],
    "http://www.sec.gov/edgar": ["http", "www.sec.gov", "edgar"],
    "ir@marble.com": ["ir", "marble.com"],
    "3M 7-ELEVEN": ["3m", "7", "eleven"],
    "$0.01 100% #1": ["0.01", "100", "1"],
    "$.01": ["01"],
    "12/31/2020 12:30:01": ["12", "31", "2020", "12", "30", "01"],
    "A.B.C.": ["a.b.c"],
    "\u6771\u4eac Tokyo": ["\u6771", "\u4eac", "tokyo"],
    "\u30bd\u30cb\u30fc": ["\u30bd\u30cb\u30fc"],
    "\ud55c\uad6d": ["\ud55c\uad6d"],
    "caf\u00e9\u2122 \u00ae \u00a7 12": ["caf\u00e9", "\u2122", "\u00ae", "12"],
    "-----": [],
    "\u2022 \u25a1 item": ["item"],
    "e\u0301": ["e\u0301"],
    "x" * 300: ["x" * 255, "x" * 45],
    "\U0001f600 smile": ["\U0001f600", "smile"],
    "\u0661\u0662\u0663": ["\u0661\u0662\u0663"],
    '\u05d0"\u05d1': ['\u05d0"\u05d1'],
}
# Elasticsearch gives at most 10,000 tokens for a request.
BATCH_WORDS = 1_500
EVERY = 3  # of the corpus' files
_ODD_WORD = re.compile(r"\S*[^\sA-Za-z,.]\S*")


class Analyzer:
    """The analyzer of the module's installation."""

    def __init__(self, engine: Engine, path: str) -> None:
        self._engine = engine
        self._path = path

    async def tokens(self, text: str) -> list[str]:
        body = {"analyzer": "filing_text", "text": text}
        reply = await self._engine.administer("POST", self._path, body)
        return [token["token"] for token in reply["tokens"]]


@pytest.fixture
async def analyzer(engine: Engine, made_settings: Settings) -> Analyzer:
    return Analyzer(engine, f"/{made_settings.prefix}documents/_analyze")


@pytest.mark.parametrize(("text", "expected"), TABLE.items())
async def test_engine_makes_these_tokens(
    analyzer: Analyzer, text: str, expected: list[str]
) -> None:
    assert await analyzer.tokens(text) == expected


@pytest.mark.parametrize(("text", "expected"), TABLE.items())
def test_own_rules_make_the_same_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


async def test_own_rules_agree_with_the_engine_on_real_filings(
    analyzer: Analyzer, corpus: Path
) -> None:
    words = sorted(set(odd_words(corpus)))
    assert len(words) > 50_000
    for start in range(0, len(words), BATCH_WORDS):
        text = "\n".join(words[start : start + BATCH_WORDS])
        assert await analyzer.tokens(text) == tokens(text)


def odd_words(corpus: Path) -> Iterator[str]:
    """The words of the filings, split at white space, with more than letters and full stops."""
    for file in sorted((corpus / "filings").glob("*.gz"))[::EVERY]:
        submission = parse_submission(gzip.decompress(file.read_bytes()))
        for document in submission.documents:
            yield from _ODD_WORD.findall(searchable_text(document) or "")
