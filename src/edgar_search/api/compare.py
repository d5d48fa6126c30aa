"""GET /v1/compare: the differences between the texts of two documents, or of their sections."""

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field, structs

from edgar_search.api.context import Context
from edgar_search.api.finding import DOCUMENT_ID_PARAMETER
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.document.compared_documents import (
    MOST_CHARS,
    Side,
    compare_sides,
    comparison_slots,
    read_side,
)
from edgar_search.document.comparison import Change, ChangedPassage, Kind

DEFAULT_CHANGES, MAX_CHANGES = 1_000, 10_000


# Characters of context on each side of a change.
_AROUND = 80


class ComparedText(Struct):
    """A text that was compared, by its position; `section` is set if the request names one."""

    document_id: str
    text_sha256: str
    start: int
    end: int
    section: str | None


class ComparedPlace(Struct):
    """Words by their position in the whole text, `end` exclusive, with the words around them."""

    start: int
    end: int
    text: str
    before: str
    after: str


class ComparedChange(Struct):
    """A change; what was added has an empty range in `from`, what was removed in `to`."""

    kind: Kind
    before: ComparedPlace = field(name="from")
    after: ComparedPlace = field(name="to")


class CompareReply(Struct):
    """Changes in the order of the second text; `total_count` counts them all.

    Texts are `equal` if their words are the same in the same order; white space and page numbers do
    not count.
    """

    before: ComparedText = field(name="from")
    after: ComparedText = field(name="to")
    equal: bool
    total_count: int
    changes: list[ComparedChange]

    @property
    def result_count(self) -> None:
        """None: the history shows no number of changes."""
        return None


COMPARE = Endpoint(
    "/v1/compare",
    "returns the differences between two documents, or between the same section of both",
    (
        API_KEY,
        structs.replace(DOCUMENT_ID_PARAMETER, name="from", description="the earlier document"),
        structs.replace(DOCUMENT_ID_PARAMETER, name="to", description="the later document"),
        Parameter(
            "section",
            "text",
            "only this section of both: `10-K item 1A`, as `/v1/matches` names it, or `item1a`,"
            " in any case",
            of="name of a section",
        ),
        Parameter(
            "limit",
            "integer",
            "changes in the answer at most",
            least=1,
            most=MAX_CHANGES,
            default=DEFAULT_CHANGES,
        ),
        Parameter("offset", "integer", "changes to skip", least=0, default=0),
    ),
    credential="key",
    answer=CompareReply,
    rules=(f"Each text may have {MOST_CHARS:,} characters.",),
)


class CompareParams(NamedTuple):
    """The texts to compare; an empty section means the whole document."""

    before: str
    after: str
    section: str
    limit: int
    offset: int


async def read_compare(context: Context, raw: Raw) -> CompareParams:
    """Read the parameters of `/v1/compare`; raises BadRequest."""
    parameters = Parameters(raw, COMPARE.declared)
    return CompareParams(
        parameters.required_value("from"),
        parameters.required_value("to"),
        (parameters.text("section") or "").strip(),
        parameters.integer("limit"),
        parameters.integer("offset"),
    )


async def find_changes(context: Context, params: CompareParams) -> CompareReply:
    """Find the changes from one text to another.

    Raises NotFound if a document or its section does not exist, BadRequest if a text is too long,
    and SearchesAtOnce if the comparison would wait too long for its slots.
    """
    before = await read_side(context.search, "from", params.before, params.section)
    after = await read_side(context.search, "to", params.after, params.section)
    await context.weigh(comparison_slots(before, after))
    passages = await compare_sides(before, after)
    return await asyncio.to_thread(_reply, before, after, passages, params)


FIND_CHANGES = Operation(COMPARE, read_compare, find_changes)


def _reply(
    before: Side, after: Side, passages: list[ChangedPassage], params: CompareParams
) -> CompareReply:
    changes = list(changes_of(passages))
    shown = changes[params.offset : params.offset + params.limit]
    return CompareReply(
        _text(before),
        _text(after),
        not changes,
        len(changes),
        [
            ComparedChange(
                change.kind,
                _place(before, change.start, change.end),
                _place(after, change.to_start, change.to_end),
            )
            for change in shown
        ],
    )


def changes_of(passages: list[ChangedPassage]) -> Iterator[Change]:
    """Yield the changes: the changed words within a paragraph, otherwise whole paragraphs."""
    for passage in passages:
        yield from passage.words or [passage.change]


def _text(side: Side) -> ComparedText:
    return ComparedText(side.document_id, side.sha256, side.start, side.end, side.section or None)


def _place(side: Side, start: int, end: int) -> ComparedPlace:
    text = side.content
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return ComparedPlace(side.at(start), side.at(end), text[start:end], before, after)
