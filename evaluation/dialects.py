"""Queries as lawyers write them for other systems: how the API and the pages read them.

    python -m evaluation.dialects

prints 42 queries of five languages, what each is read as with its `dialect`, what is named as left
out or changed, and what the pages, which guess the language from its signs, read instead if that
differs (before they drop small words such as `and`). Then it counts each kind for both. It needs no
engine.

The expected meanings are judged by hand. `right` has that meaning, with nothing left out; `named`
has it but for what a note names; `other` has another one, of which `opposite` demands a word that
is to be excluded.
"""

from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.search.language import Node, QueryError, parse_query, query_text
from edgar_search.search.language.dialects import Dialect, guess, translate
from edgar_search.search.query.matching import positive_leaves

JUDGED = Path(__file__).parent / "judged_dialects.json"

Kind = Literal["right", "named", "other", "opposite", "refused"]
KINDS: tuple[Kind, ...] = ("right", "named", "other", "opposite", "refused")


class JudgedDialect(Struct, frozen=True, forbid_unknown_fields=True):
    """A query of another system; `meaning` is what it means, in our language.

    Fields, orders and counts that our language lacks are not in its meaning. `excluded` are its
    excluded words.
    """

    dialect: Dialect
    query: str
    meaning: str
    excluded: str = ""


class Reading(NamedTuple):
    """A query as it is read, the notes about it, and the kind of that."""

    text: str
    notes: tuple[str, ...]
    kind: Kind


def judged_dialects() -> list[JudgedDialect]:
    """Return all of them."""
    return msgspec.json.decode(JUDGED.read_bytes(), type=list[JudgedDialect])


def read_as(judged: JudgedDialect, dialect: Dialect | None) -> Reading:
    """Read a query in a language, or as it is without one."""
    try:
        written = translate(judged.query, dialect) if dialect else None
        node = parse_query(written.query if written else judged.query)
    except QueryError as error:
        return Reading(str(error), (), "refused")
    notes = written.notes if written else ()
    return Reading(query_text(node), notes, _kind(judged, node, notes))


def _kind(judged: JudgedDialect, node: Node, notes: tuple[str, ...]) -> Kind:
    demanded = " ".join(query_text(leaf) for leaf in positive_leaves(node))
    if judged.excluded and judged.excluded in demanded:
        return "opposite"
    if query_text(node) != judged.meaning:
        return "other"
    return "named" if notes else "right"


def main() -> None:
    """Print the table and the counts."""
    counts: dict[str, Counter[Kind]] = {"API": Counter(), "pages": Counter()}
    print("| language | query | read as | kind | notes | on pages, if that differs |")
    print("|---|---|---|---|---|---|")
    for judged in judged_dialects():
        own, page = read_as(judged, judged.dialect), read_as(judged, guess(judged.query))
        counts["API"][own.kind] += 1
        counts["pages"][page.kind] += 1
        shown = "" if page.text == own.text else f"{page.kind}: `{page.text}`"
        cells = judged.dialect, f"`{judged.query}`", f"`{own.text}`", own.kind, "; ".join(own.notes)
        print("|", " | ".join(cell.replace("|", "\\|") for cell in (*cells, shown)), "|")
    print()
    for face, found in counts.items():
        print(f"{face}: {', '.join(f'{found[kind]} {kind}' for kind in KINDS)}")


if __name__ == "__main__":
    main()
