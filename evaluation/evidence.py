"""Questions whose answer is in one passage: its document, and a short phrase that is in it."""

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean

import msgspec
from msgspec import Struct

QUESTIONS = Path(__file__).parent / "evidence_questions.json"
# The number of snippets of a document among which the phrase is looked for.
SHOWN = 5
_MARKUP = re.compile(r"</?mark>")
# White space, and what a snippet has in its place between cells and lines.
_SPACE = re.compile(r"[\s|\u2026]+")


class EvidenceQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """A question, and the evidence for its answer. Those held out are not tuned for."""

    id: str
    person: str
    query: str
    held_out: bool
    document_id: str
    evidence: str

    def is_in(self, texts: Iterable[str]) -> bool:
        """Say if one of the texts, snippets among them, has the evidence."""
        return any(_plain(self.evidence) in _plain(text) for text in texts)

    def is_of_report(self, document_id: str) -> bool:
        """Say if a document is of the same filing as the evidence."""
        return _filing(document_id) == _filing(self.document_id)


class EvidenceFigures(Struct, frozen=True):
    """The place of the right report is first, in ten; its evidence is shown if it is searched."""

    first: bool
    in_ten: bool
    shown: bool
    zero: bool


def evidence_questions() -> list[EvidenceQuestion]:
    """All of them."""
    return msgspec.json.decode(QUESTIONS.read_bytes(), type=list[EvidenceQuestion])


def evidence_figures(
    question: EvidenceQuestion, found: Sequence[str], shown: Iterable[str]
) -> EvidenceFigures:
    """The figures of the documents found, the best first, and of texts shown of the right one."""
    reports = [question.is_of_report(key) for key in found[:10]]
    return EvidenceFigures(
        first=any(reports[:1]),
        in_ten=any(reports),
        shown=question.is_in(shown),
        zero=not found,
    )


def shares(measured: Sequence[EvidenceFigures]) -> tuple[float, float, float, int]:
    """The shares of the first three figures, and the number of questions without a hit."""
    return (
        mean(each.first for each in measured),
        mean(each.in_ten for each in measured),
        mean(each.shown for each in measured),
        sum(each.zero for each in measured),
    )


def _filing(document_id: str) -> str:
    return document_id.rpartition("-")[0]


def _plain(text: str) -> str:
    return _SPACE.sub(" ", html.unescape(_MARKUP.sub("", text)).replace("\u2019", "'")).strip()
