"""A part of a document's text."""

from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, Gone, NotFound
from edgar_search.search.texts.document_text import DocumentText, document_text
from edgar_search.search.texts.passages import Passages
from edgar_search.search.texts.sections import section_name, text_sections
from edgar_search.stored.section import StoredSection


class Piece(NamedTuple):
    """Where a part of a text lies, `end` exclusive, in code points; `last` is where what was asked
    for ends, which may be farther on.
    """

    text: DocumentText
    start: int
    end: int
    last: int
    section: StoredSection | None

    @property
    def next_start(self) -> int | None:
        """Where the next part begins, if there is one."""
        return self.end if self.end < self.last else None


async def piece_of(
    engine: Engine,
    document_id: str,
    *,
    start: int | None,
    length: int,
    section: str = "",
    sha256: str = "",
    account: str,
) -> Piece:
    """The part from `start` on, or from where the section begins; at most `length` long.

    One engine request, and one for a section. Raises NotFound, BadRequest for a start outside,
    Gone where the text's hash is another than `sha256`, StoredByOlderVersion, TextChanging.
    """
    text = await document_text(engine, document_id, account)
    if sha256 and sha256 != text.sha256:
        raise Gone(
            f"text_sha256: the text of {document_id} has changed; it is now {text.sha256},"
            f" of {text.length} characters"
        )
    found = await _section(Passages(engine, text, account), section) if section else None
    first, last = _bounds(found, text)
    begin = first if start is None else start
    if not first <= begin <= last:
        what = section_name(found) if found else "text"
        raise BadRequest(f"start: {begin} is not in the {what}, which goes from {first} to {last}")
    return Piece(text, begin, min(begin + length, last), last, found)


async def read_piece(engine: Engine, piece: Piece, account: str) -> str:
    """The text of the part; one engine request. Raises TextChanging."""
    if piece.start == piece.end:
        return ""
    return await Passages(engine, piece.text, account).piece(piece.start, piece.end)


async def _section(passages: Passages, name: str) -> StoredSection:
    found = (await text_sections(passages)).named(name)
    if found.text_start is None or found.text_end is None:
        raise NotFound(
            f"section: where {section_name(found)} lies in the text is not certain;"
            " /v2/filing_sections has it as filed"
        )
    return found


def _bounds(section: StoredSection | None, text: DocumentText) -> tuple[int, int]:
    if section is None or section.text_start is None or section.text_end is None:
        return 0, text.length
    return section.text_start, section.text_end
