"""SQLite's FTS5 in this process: a table of texts, `bm25` and `snippet`."""

import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path

import psutil

from bench.peers.disk import bytes_in
from bench.peers.peer import MARK, MARK_END, TOP, Batch, Found
from bench.peers.questions import Question, prefix, terms
from bench.peers.stand_ins import with_letters, with_marks
from edgar_search.search.language import And, Leaf, Node, Or, Wildcard, Word

_SNIPPET_WORDS = 48
_TABLE = """CREATE VIRTUAL TABLE texts USING fts5(
    text, id UNINDEXED, form_type UNINDEXED, filing_date UNINDEXED,
    tokenize = "unicode61 remove_diacritics 0")"""


class Sqlite:
    """A file with one table; each thread has a connection of its own."""

    name = f"SQLite {sqlite3.sqlite_version} FTS5"
    served = False

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.processes: Mapping[str, psutil.Process] = {"library": psutil.Process()}
        self._folder = folder
        self._local = threading.local()
        connection = self._connection()
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(_TABLE)

    def build(self, batch: Batch) -> None:
        rows = (
            (with_letters(d.text), d.document_id, d.form_type, d.filing_date) for d in batch.texts
        )
        connection = self._connection()
        with connection:
            connection.executemany("INSERT INTO texts VALUES (?, ?, ?, ?)", rows)
        connection.execute("INSERT INTO texts(texts) VALUES ('optimize')")
        connection.commit()

    def search(self, question: Question) -> Found:
        where, values = _condition(question)
        connection = self._connection()
        (total,) = connection.execute(
            f"SELECT count(*) FROM texts WHERE {where}", values
        ).fetchone()
        rows = connection.execute(
            f"SELECT id, snippet(texts, 0, '{MARK}', '{MARK_END}', '...', {_SNIPPET_WORDS})"
            f" FROM texts WHERE {where} ORDER BY rank LIMIT {TOP}",
            values,
        ).fetchall()
        return Found([key for key, _ in rows], total, [with_marks(row[1]) for row in rows])

    def matches(self, question: Question) -> set[str]:
        where, values = _condition(question)
        rows = self._connection().execute(f"SELECT id FROM texts WHERE {where}", values)
        return {key for (key,) in rows}

    def size(self) -> int:
        return bytes_in(self._folder)

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            self._local.connection = sqlite3.connect(self._folder / "texts.sqlite")
        connection: sqlite3.Connection = self._local.connection
        return connection


def _condition(question: Question) -> tuple[str, list[str]]:
    where, values = ["texts MATCH ?"], [match(question.tree)]
    for name, comparison in (("form_type", "="), ("from_date", ">="), ("to_date", "<=")):
        if value := question.filters().get(name):
            column = "form_type" if name == "form_type" else "filing_date"
            where.append(f"{column} {comparison} ?")
            values.append(value)
    return " AND ".join(where), values


def match(node: Node) -> str:
    """Return the tree as FTS5 writes it; raises Unable where it cannot."""
    if isinstance(node, And):
        wanted = " AND ".join(map(_operand, node.positive))
        return " NOT ".join([f"({wanted})", *map(_operand, node.negative)])
    if isinstance(node, Or):
        return " OR ".join(map(_operand, node.operands))
    return _leaf(node)


def _operand(node: Node) -> str:
    return f"({match(node)})"


def _leaf(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return f'"{with_letters(prefix(leaf))}" *'
    forms = [[form] for form in leaf.forms] if isinstance(leaf, Word) else []
    phrases = [" ".join(map(with_letters, words)) for words in (terms(leaf), *forms)]
    return " OR ".join(f'"{phrase}"' for phrase in phrases)
