"""Questions whose answer is in one passage: its document, and a short phrase that is in it.

Some are sentences; others are what people type into a box, in lower case and abbreviated; others
ask at length for something of a company's report of a year, and the report is all that is known.
"""

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import msgspec
from msgspec import Struct

QUESTIONS = Path(__file__).parent / "evidence_questions.json"
TYPED = Path(__file__).parent / "typed_questions.json"
REPORTS = Path(__file__).parent / "report_questions.json"
KINDS = (QUESTIONS, TYPED, REPORTS)
# The numbers of snippets of a document among which the phrase is looked for.
FEW, SHOWN = 3, 5
_MARKUP = re.compile(r"</?mark>")
# White space, and what a snippet has in its place between cells and lines.
_SPACE = re.compile(r"[\s|\u2026]+")


class EvidenceQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """A question, and the evidence for its answer; "" if any text of the report is.

    Those held out are not tuned for.
    """

    id: str
    person: str
    query: str
    held_out: bool
    document_id: str
    evidence: str

    def is_in(self, texts: Iterable[str]) -> bool:
        """Return True if one of the texts, snippets among them, has the evidence."""
        return any(_plain(self.evidence) in _plain(text) for text in texts)

    def is_of_report(self, document_id: str) -> bool:
        """Return True if a document is of the same filing as the evidence."""
        return _filing(document_id) == _filing(self.document_id)


class EvidenceFigures(Struct, frozen=True):
    """The place of the right report is first, in ten; where its evidence is shown.

    It is in the first snippet, in one of three, in one of five, if as many are requested.

    None if the question has no evidence.
    """

    first: bool
    in_ten: bool
    shown_first: bool | None
    shown_few: bool | None
    shown: bool | None
    zero: bool


class EvidenceShares(NamedTuple):
    """The shares of the figures, and the number of questions without a hit."""

    first: float
    in_ten: float
    shown_first: float
    shown_few: float
    shown: float
    zeros: int

    def __str__(self) -> str:
        first, in_ten, one, few, five, zeros = self
        return f"{first:7.3f}{in_ten:7.3f}{one:7.3f}{few:7.3f}{five:7.3f}{zeros:6}"


def evidence_questions(path: Path = QUESTIONS) -> list[EvidenceQuestion]:
    """Return all of one of KINDS."""
    return msgspec.json.decode(path.read_bytes(), type=list[EvidenceQuestion])


def evidence_figures(
    question: EvidenceQuestion, found: Sequence[str], few: Sequence[str], shown: Sequence[str]
) -> EvidenceFigures:
    """The figures of the documents found, the best first, and of texts shown of the right one.

    `few` are the texts if FEW are requested, `shown` if SHOWN are.
    """
    reports = [question.is_of_report(key) for key in found[:10]]
    return EvidenceFigures(
        first=any(reports[:1]),
        in_ten=any(reports),
        shown_first=question.is_in(shown[:1]) if question.evidence else None,
        shown_few=question.is_in(few) if question.evidence else None,
        shown=question.is_in(shown) if question.evidence else None,
        zero=not found,
    )


def shares(measured: Sequence[EvidenceFigures]) -> EvidenceShares:
    """Return the shares of each figure among the questions that have it."""
    return EvidenceShares(
        mean(each.first for each in measured),
        mean(each.in_ten for each in measured),
        mean([each.shown_first for each in measured if each.shown_first is not None] or [0]),
        mean([each.shown_few for each in measured if each.shown_few is not None] or [0]),
        mean([each.shown for each in measured if each.shown is not None] or [0]),
        sum(each.zero for each in measured),
    )


def _filing(document_id: str) -> str:
    return document_id.rpartition("-")[0]


def _plain(text: str) -> str:
    return _SPACE.sub(" ", html.unescape(_MARKUP.sub("", text)).replace("\u2019", "'")).strip()
