"""`edgar-search similar FILE`: passages like a text, or like a passage of a document."""

import argparse
import sys

import msgspec

from edgar_search.api.context import Context
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.similar import (
    MAX_CLAUSE,
    SIMILAR,
    SimilarItem,
    SimilarReply,
    find_passages,
    read_similar,
)
from edgar_search.commands.drafts import read_text
from edgar_search.commands.engine import with_engine
from edgar_search.commands.given import OF_SIMILAR, given_parameters
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print passages like a text; raises EdgarSearchError."""
    text = {"text": read_text(options.file, MAX_CLAUSE)} if options.file else {}
    params = read_similar(RequestFields(given_parameters(options, SIMILAR, OF_SIMILAR), text))

    async def show(engine: Engine) -> None:
        answer = await find_passages(Context.of_command(engine, settings), params)
        if options.format == "json":
            print(msgspec.json.encode(answer).decode())
        else:
            _print(answer)

    return with_engine(settings, show)


def _print(answer: SimilarReply) -> None:
    for item in answer.items:
        whose = ", ".join(item.related_company_names)
        print(
            f"{whose}, {item.form_type} {item.document_type}, filed {item.filing_date},"
            f" {item.document_id} from {item.start}:"
            f" {item.share:.0%} of the rarer words"
        )
        print(f"    {_redline(answer.given.text, item)}\n")
    for sentence in answer.usual_wording:
        print(f"{sentence.count} of {len(answer.items)} say: {sentence.text}")
    if not answer.items:
        print("no passage is like it", file=sys.stderr)


def _redline(text: str, item: SimilarItem) -> str:
    """Format a passage on one line, with the given text's different words in `[-...-]`."""
    pieces: list[str] = []
    position = 0
    for change in item.changes:
        start, end = change.found_start - item.start, change.found_end - item.start
        pieces.append(item.text[position:start])
        pieces += [f" [-{text[change.start : change.end]}-]"] if change.given else []
        pieces += [f"{{+{change.found}+}}"] if change.found else []
        position = end
    return " ".join("".join([*pieces, item.text[position:]]).split())
