"""tantivy in this process: positions, stored texts, its own snippets."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil
import tantivy

from bench.peers.disk import bytes_in
from bench.peers.peer import MARK, MARK_END, SNIPPET_CHARACTERS, TOP, Batch, Found
from bench.peers.questions import Question, Unable, prefix, terms, wanted_leaves
from bench.peers.stand_ins import with_letters, with_marks
from edgar_search.search.language import And, Node, Or, Wildcard, Word

_HEAP_BYTES = 256_000_000


class Tantivy:
    """An index in a folder, with two threads that write."""

    name = f"tantivy {version('tantivy')}"
    served = False

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.processes: Mapping[str, psutil.Process] = {"library": psutil.Process()}
        self._folder = folder
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_text_field("form_type", tokenizer_name="raw", index_option="basic")
        builder.add_integer_field("day", indexed=True, fast=True)
        builder.add_text_field("text", stored=True, tokenizer_name="words")
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema, path=str(folder))
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        self._index.register_tokenizer("words", words.filter(tantivy.Filter.lowercase()).build())

    def build(self, batch: Batch) -> None:
        writer = self._index.writer(_HEAP_BYTES, 2)
        for document in batch.texts:
            day = int(document.filing_date.replace("-", ""))
            writer.add_document(
                tantivy.Document(
                    id=document.document_id,
                    form_type=document.form_type,
                    day=day,
                    text=with_letters(document.text),
                )
            )
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def search(self, question: Question) -> Found:
        searcher = self._index.searcher()
        tree = question.tree
        result = searcher.search(self._query(question, tree), TOP, count=True)
        documents = [searcher.doc(address) for _, address in result.hits]
        generator = tantivy.SnippetGenerator.create(
            searcher, self._snippet_query(searcher, tree), self._schema, "text"
        )
        generator.set_max_num_chars(SNIPPET_CHARACTERS)
        snippets = [
            _with_usual_marks(generator.snippet_from_doc(document)) for document in documents
        ]
        return Found([document["id"][0] for document in documents], result.count, snippets)

    def matches(self, question: Question) -> set[str]:
        searcher = self._index.searcher()
        query = self._query(question, question.tree)
        hits = searcher.search(query, max(1, searcher.num_docs), count=False).hits
        return {searcher.doc(address)["id"][0] for _, address in hits}

    def size(self) -> int:
        return bytes_in(self._folder)

    def _query(self, question: Question, tree: Node) -> Any:
        must = [self._clause(tree)]
        if question.form_type:
            must.append(tantivy.Query.term_query(self._schema, "form_type", question.form_type))
        if question.from_date or question.to_date:
            first, last = (
                int(day.replace("-", ""))
                for day in (question.from_date or "0000-01-01", question.to_date or "9999-12-31")
            )
            kind = tantivy.FieldType.Integer
            must.append(tantivy.Query.range_query(self._schema, "day", kind, first, last))
        return self._boolean(tantivy.Occur.Must, must)

    def _clause(self, node: Node) -> Any:
        if isinstance(node, And):
            query = self._boolean(tantivy.Occur.Must, map(self._clause, node.positive))
            return query.and_must_not_match(*map(self._clause, node.negative))
        if isinstance(node, Or):
            return self._boolean(tantivy.Occur.Should, map(self._clause, node.operands))
        if isinstance(node, Wildcard):
            written = with_letters(node.pattern)
            pattern = "".join({"*": ".*", "?": "."}.get(c, _escape(c)) for c in written)
            return tantivy.Query.regex_query(self._schema, "text", pattern)
        forms = [[form] for form in node.forms] if isinstance(node, Word) else []
        return self._boolean(tantivy.Occur.Should, map(self._words, [terms(node), *forms]))

    def _words(self, written: list[str]) -> Any:
        words = [with_letters(word) for word in written]
        if len(words) == 1:
            return tantivy.Query.term_query(self._schema, "text", words[0])
        return tantivy.Query.phrase_query(self._schema, "text", words)

    def _snippet_query(self, searcher: Any, tree: Node) -> Any:
        """The clauses that a snippet marks: all words of a prefix, because it knows only words."""
        clauses = []
        for leaf in wanted_leaves(tree):
            if isinstance(leaf, Wildcard):
                try:
                    found = searcher.terms_with_prefix("text", with_letters(prefix(leaf)))
                except Unable:
                    continue
                clauses += [self._words([word]) for word, _ in found]
            else:
                clauses.append(self._clause(leaf))
        return self._boolean(tantivy.Occur.Should, clauses)

    @staticmethod
    def _boolean(occur: Any, queries: Any) -> Any:
        several = [(occur, query) for query in queries]
        return several[0][1] if len(several) == 1 else tantivy.Query.boolean_query(several)


def _escape(character: str) -> str:
    return character if character.isalnum() else f"\\{character}"


def _with_usual_marks(snippet: Any) -> str:
    return with_marks(snippet.to_html().replace("<b>", MARK).replace("</b>", MARK_END))
