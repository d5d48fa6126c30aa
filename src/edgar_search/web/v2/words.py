"""The three kinds of queries of `/v2/fulltext_search`, all to the tree of the query language."""

from edgar_search.search.language import (
    ALL,
    EXACT,
    And,
    Node,
    Phrase,
    QueryError,
    Word,
    check_cost,
    parse,
)
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.text.rules import normalise, token_spans

QUERY_TYPES = ("match", "match_phrase", "query_string")
# The official client says of `match` that it stems.
DEFAULT_FORMS = {"match": ALL, "match_phrase": EXACT, "query_string": EXACT}


def query_tree(query: str, query_type: str) -> Node:
    """What a query asks for.

    `match` wants all words, operators are words too; `match_phrase` one phrase; `query_string` is
    the query language with `+` and `-` before what is wanted and what is not. Raises QueryError.
    """
    if query_type == "query_string":
        return parse(query, signs=True)
    if len(query) > MAX_QUERY_CHARS:
        raise QueryError(f"longer than {MAX_QUERY_CHARS:,} characters", "a shorter one is needed")
    text = normalise(query)
    if query_type == "match_phrase":
        words: tuple[Node, ...] = (Phrase(text, 0, 1),) if _has_token(text) else ()
    else:
        words = tuple(Word(word, 1) for word in text.split() if _has_token(word))
    if not words:
        raise QueryError("no letters or digits", "write at least one word")
    tree = words[0] if len(words) == 1 else And(words, ())
    check_cost(tree)
    return tree


def _has_token(text: str) -> bool:
    return next(token_spans(text), None) is not None
