"""Plain BM25 by tantivy over the texts of an installation: any word of the question, no more.

Of documents, and of passages, where a document scores as its best passage. The words are those
of tantivy's own tokenizer, in lower case.
"""

import re
from collections.abc import AsyncIterator
from typing import Any

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.stored.filings import StoredPassage

_PAGE = 2_000
_HEAP_BYTES = 128_000_000
# Passages among which the best documents are looked for.
_MOST_PASSAGES = 500
_WORD = re.compile(r"\w+")


class _Hit(Struct):
    source: StoredPassage = field(name="_source")


async def passages(engine: Engine) -> AsyncIterator[StoredPassage]:
    """Yield all passages, by document and number."""
    body: dict[str, Any] = {
        "size": _PAGE,
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "track_total_hits": False,
    }
    while found := (await engine.search("passages", body, _Hit)).hits.hits:
        for hit in found:
            yield hit.source
        last = found[-1].source
        body["search_after"] = [last.document_id, last.number]


class PlainBM25:
    """Two indices in memory."""

    def __init__(self) -> None:
        # An optional library: the other systems are measured without it.
        import tantivy

        self._tantivy = tantivy
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_text_field("text", stored=True)
        self._schema = builder.build()
        self._documents = tantivy.Index(self._schema)
        self._passages = tantivy.Index(self._schema)

    async def fill(self, engine: Engine) -> None:
        """Index the texts of an installation."""
        whole = self._documents.writer(_HEAP_BYTES, 1)
        parts = self._passages.writer(_HEAP_BYTES, 1)
        key, texts = "", list[str]()
        async for passage in passages(engine):
            if passage.document_id != key and texts:
                whole.add_document(self._tantivy.Document(id=key, text="".join(texts)))
                texts = []
            key = passage.document_id
            texts.append(passage.text)
            parts.add_document(self._tantivy.Document(id=key, text=passage.text))
        whole.add_document(self._tantivy.Document(id=key, text="".join(texts)))
        for writer, index in ((whole, self._documents), (parts, self._passages)):
            writer.commit()
            writer.wait_merging_threads()
            index.reload()

    def documents(self, question: str, most: int) -> list[str]:
        """Return the best documents by their whole texts."""
        return [key for key, _ in self._find(self._documents, self._any_word(question), most)]

    def documents_by_passages(self, question: str, most: int) -> list[str]:
        """Return the best documents by their best passages."""
        found = self._find(self._passages, self._any_word(question), _MOST_PASSAGES)
        return list(dict.fromkeys(key for key, _ in found))[:most]

    def passages_of(self, question: str, document_id: str, most: int) -> list[str]:
        """Return the best passages of a document."""
        must = self._tantivy.Occur.Must
        document = self._tantivy.Query.term_query(self._schema, "id", document_id)
        query = self._tantivy.Query.boolean_query(
            [(must, document), (must, self._any_word(question))]
        )
        return [text for _, text in self._find(self._passages, query, most)]

    def _any_word(self, question: str) -> Any:
        words = dict.fromkeys(word.lower() for word in _WORD.findall(question))
        terms = [self._tantivy.Query.term_query(self._schema, "text", word) for word in words]
        should = self._tantivy.Occur.Should
        return self._tantivy.Query.boolean_query([(should, term) for term in terms])

    @staticmethod
    def _find(index: Any, query: Any, most: int) -> list[tuple[str, str]]:
        searcher = index.searcher()
        documents = (searcher.doc(address) for _, address in searcher.search(query, most).hits)
        return [(document["id"][0], document["text"][0]) for document in documents]
