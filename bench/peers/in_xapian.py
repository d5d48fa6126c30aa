"""Xapian in this process: the words of our reader with their places, its own snippets."""

import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from bench.peers.disk import bytes_in
from bench.peers.peer import MARK, MARK_END, SNIPPET_CHARACTERS, TOP, Batch, Found
from bench.peers.questions import Question, prefix, terms
from edgar_search.search.language import And, Node, Or, Wildcard, Word
from edgar_search.text.words import tokens

# Where Debian's python3-xapian puts it; a virtual environment does not look there.
_DEBIAN = "/usr/lib/python3/dist-packages"
try:
    import xapian
except ImportError:
    sys.path.append(_DEBIAN)
    try:
        import xapian
    finally:
        sys.path.remove(_DEBIAN)

_DAY, _FORM = 0, "XF"
_MAX_TERM_BYTES = 240


class Xapian:
    """A database in a folder; each thread opens it for itself."""

    name = f"Xapian {xapian.version_string()}"
    served = False

    def __init__(self, folder: Path) -> None:
        self.processes: Mapping[str, psutil.Process] = {"library": psutil.Process()}
        self._folder = folder
        self._builds = 0
        self._local = threading.local()

    def build(self, batch: Batch) -> None:
        writer = xapian.WritableDatabase(str(self._folder), xapian.DB_CREATE_OR_OPEN)
        for document in batch.texts:
            entry = xapian.Document()
            entry.set_data(f"{document.document_id}\n{document.text}")
            entry.add_boolean_term(_FORM + document.form_type)
            entry.add_value(_DAY, document.filing_date)
            for place, word in enumerate(tokens(document.text), 1):
                if len(word.encode()) <= _MAX_TERM_BYTES:
                    entry.add_posting(word, place)
            writer.add_document(entry)
        writer.commit()
        writer.close()
        self._builds += 1

    def search(self, question: Question) -> Found:
        database, query = self._database(), _query(question)
        enquire = xapian.Enquire(database)
        enquire.set_query(query)
        # As many are looked at as there are, so that the estimate is the exact total.
        found = enquire.get_mset(0, TOP, database.get_doccount())
        ids, snippets = [], []
        for hit in found:
            key, _, text = hit.document.get_data().decode().partition("\n")
            ids.append(key)
            # Without flags it takes the first piece that is good enough, which is much faster.
            cut = found.snippet(
                text, SNIPPET_CHARACTERS, xapian.Stem("none"), 0, MARK, MARK_END, "..."
            )
            snippets.append(cut.decode())
        return Found(ids, found.get_matches_estimated(), snippets)

    def matches(self, question: Question) -> set[str]:
        database = self._database()
        enquire = xapian.Enquire(database)
        enquire.set_query(_query(question))
        found = enquire.get_mset(0, database.get_doccount())
        return {hit.document.get_data().decode().partition("\n")[0] for hit in found}

    def size(self) -> int:
        return bytes_in(self._folder)

    def _database(self) -> Any:
        if getattr(self._local, "builds", None) != self._builds:
            self._local.builds = self._builds
            self._local.database = xapian.Database(str(self._folder))
        return self._local.database


def _query(question: Question) -> Any:
    query = _clause(question.tree)
    both = xapian.Query.OP_FILTER
    if question.form_type:
        query = xapian.Query(both, query, xapian.Query(_FORM + question.form_type))
    if question.from_date or question.to_date:
        first, last = question.from_date or "0", question.to_date or "9"
        days = xapian.Query(xapian.Query.OP_VALUE_RANGE, _DAY, first, last)
        query = xapian.Query(both, query, days)
    return query


def _clause(node: Node) -> Any:
    if isinstance(node, And):
        query = xapian.Query(xapian.Query.OP_AND, list(map(_clause, node.positive)))
        for excluded in map(_clause, node.negative):
            query = xapian.Query(xapian.Query.OP_AND_NOT, query, excluded)
        return query
    if isinstance(node, Or):
        return xapian.Query(xapian.Query.OP_OR, list(map(_clause, node.operands)))
    if isinstance(node, Wildcard):
        limits = (0, xapian.Query.WILDCARD_LIMIT_ERROR, xapian.Query.OP_SYNONYM)
        return xapian.Query(xapian.Query.OP_WILDCARD, prefix(node), *limits)
    phrase = _phrase(terms(node))
    forms = [xapian.Query(form) for form in node.forms] if isinstance(node, Word) else []
    return xapian.Query(xapian.Query.OP_OR, [phrase, *forms]) if forms else phrase


def _phrase(words: list[str]) -> Any:
    if len(words) == 1:
        return xapian.Query(words[0])
    return xapian.Query(xapian.Query.OP_PHRASE, words)
