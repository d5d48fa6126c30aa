"""Trees for the tests of the query language."""

from edgar_search.search.language import And, Node, Or, Phrase, Wildcard, Word


def placeless(node: Node) -> Node:
    """`node` without its positions."""
    match node:
        case And(positive, negative):
            return And(tuple(map(placeless, positive)), tuple(map(placeless, negative)))
        case Or(operands):
            return Or(tuple(map(placeless, operands)))
        case Word(text, _, forms):
            return Word(text, 0, forms)
        case Phrase(text, slop, _):
            return Phrase(text, slop, 0)
        case Wildcard(pattern, _):
            return Wildcard(pattern, 0)


def nested(levels: int) -> str:
    """Return a query of that many levels of AND and OR."""
    query = "a"
    for level in range(levels):
        query = f"(b {query})" if level % 2 else f"(b OR {query})"
    return query
