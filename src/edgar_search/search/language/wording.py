"""A tree as text: as the query that means it, and in words; pure."""

from collections.abc import Callable, Iterable

from edgar_search.search.language.tree import And, Leaf, Node, Or, Phrase, Wildcard, Word
from edgar_search.text.rules import tokens


def written(node: Node) -> str:
    """The query that means the tree, with every operator and parenthesis that is needed.

    It is read as the same tree again, but for the positions, and for the forms of words. It may be
    longer than a query can be.
    """
    return _joined(node, written, _leaf_text, " AND ", " NOT ")


def described(node: Node) -> str:
    """What a document has that the tree matches, as a part of a sentence."""
    return _joined(node, described, _leaf_meaning, " and ", ", without ")


def _joined(
    node: Node, inner: Callable[[Node], str], leaf: Callable[[Leaf], str], both: str, without: str
) -> str:
    def operand(each: Node) -> str:
        return f"({inner(each)})" if isinstance(each, And | Or) else leaf(each)

    if isinstance(node, Or):
        return both.replace("and", "or").replace("AND", "OR").join(map(operand, node.operands))
    if isinstance(node, And):
        unwanted = (without + operand(each) for each in node.negative)
        return both.join(map(operand, node.positive)) + "".join(unwanted)
    return leaf(node)


def _leaf_text(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return leaf.pattern
    if isinstance(leaf, Word):
        return leaf.text
    return f'"{leaf.text}"~{leaf.slop}' if leaf.slop else f'"{leaf.text}"'


def _leaf_meaning(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return f"a word like `{leaf.pattern}`"
    words = tokens(leaf.text)
    if isinstance(leaf, Phrase) and leaf.slop and len(words) > 1:
        moves = "1 move" if leaf.slop == 1 else f"{leaf.slop} moves"
        return f"the words {_named(words)} at most {moves} apart"
    if len(words) > 1:
        return f"the phrase `{' '.join(words)}`"
    forms = leaf.forms if isinstance(leaf, Word) else ()
    return f"the word `{words[0]}`" + (f" or a form of it ({_named(forms)})" if forms else "")


def _named(words: Iterable[str]) -> str:
    return " ".join(f"`{word}`" for word in words)
