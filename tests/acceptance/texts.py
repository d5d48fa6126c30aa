"""All texts of an installation, and a reading of their words that is not the project's own."""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.passage import StoredPassage

_PAGE = 2_000
# Letters and digits, with what the standard tokenizer does not part them at.
_TOKEN = re.compile(r"\w+(?:(?:(?<=[^\W\d_])[.':](?=[^\W\d_])|(?<=\d)[.,;'](?=\d))\w+)*")
_RULE = re.compile(r"_+")


class PassageHit(Struct):
    source: StoredPassage = field(name="_source")


class Texts(NamedTuple):
    """Each document's text, and its words, in small letters, with one blank around each."""

    texts: dict[str, str]
    words: dict[str, str]

    def having(self, condition: Callable[[str], object]) -> set[str]:
        """The ids of the documents whose words meet a condition."""
        return {key for key, words in self.words.items() if condition(words)}


async def read_texts(settings: Settings) -> Texts:
    """Read all passages and join them in order."""
    pieces: dict[str, list[str]] = defaultdict(list)
    sort = [{"document_id": "asc"}, {"number": "asc"}]
    body: dict[str, Any] = {"size": _PAGE, "sort": sort}
    engine = Engine.from_settings(settings)
    try:
        while hits := (await engine.search("passages", body, PassageHit)).hits.hits:
            for hit in hits:
                assert hit.source.number == len(pieces[hit.source.document_id])
                pieces[hit.source.document_id].append(hit.source.text)
            body["search_after"] = [hits[-1].source.document_id, hits[-1].source.number]
    finally:
        await engine.close()
    texts = {key: "".join(parts) for key, parts in pieces.items()}
    return Texts(texts, {key: _words(text) for key, text in texts.items()})


def _words(text: str) -> str:
    found = [token for token in _TOKEN.findall(text.lower()) if not _RULE.fullmatch(token)]
    return f" {' '.join(found)} "
