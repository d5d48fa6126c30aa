"""What a query may cost, known before it is run: by its phrases, and by the forms of its words.

Words, wildcards and their AND and OR cost little, however many fit into a query. With their forms,
of which a word has up to twelve, a whole query of words is as dear as phrases are. A phrase is
looked for in every document that has all its words, place by place. Where it may be loose (`~n`),
that takes about three times as long for each word, whatever `n` is; and where a word stands in it
twice, all places of its words are held against each other. `bench/dearest.py` looks for the dearest
query that is allowed.
"""

from edgar_search.search.language.refusal import QueryError
from edgar_search.search.language.tree import Leaf, Node, Phrase, Wildcard, Word, leaves
from edgar_search.text.rules import tokens

# In tenths of a word of a loose phrase. Over 378 million characters of filings 300 took
# Elasticsearch 0.9 to 2.1 seconds of CPU time, with phrases of the commonest words.
MAX_COST = 300
_EXACT_WORD, _LOOSE_WORD, _REPEATING_WORD = 3, 10, 50
# As much as a word of an exact phrase have twelve. 1,136 forms, of all words that fit into a query,
# took as long as the dearest phrases; one of everyday words is never refused.
_FORMS_OF_A_TENTH = 4
# One exact phrase alone is always possible: the longest took 0.4 seconds.
_MOST_EXACT = 99 * _EXACT_WORD

# So much takes as long as a page of results of which nothing else is dear, or longer.
_OF_A_PLACE = 50

_WRONG = f"phrases of more than {MAX_COST // _LOOSE_WORD} words in all"
_RIGHT = (
    "fewer or shorter ones are needed; a word of a phrase with `~` counts 1,"
    f" or {_REPEATING_WORD // _LOOSE_WORD} where that phrase has a word twice,"
    f" and one of an exact phrase {_EXACT_WORD / _LOOSE_WORD}"
)
_WRONG_FORMS = "words with too many forms in all"
_RIGHT_FORMS = "fewer are needed, or some of them in quotes, or `word_forms=exact`"


def check_cost(node: Node) -> None:
    """Raise QueryError, at the phrase or word with which the query becomes too dear, if it does."""
    cost = of_forms = 0
    for leaf in leaves(node):
        formed = isinstance(leaf, Word) and bool(leaf.forms)
        cost += leaf_cost(leaf)
        of_forms += leaf_cost(leaf) if formed else 0
        if cost > MAX_COST:
            wrong, right = (_WRONG_FORMS, _RIGHT_FORMS) if formed else (_WRONG, _RIGHT)
            # Phrases that are possible where no word has forms.
            exact = "; or `word_forms=exact`" if cost - of_forms <= MAX_COST and not formed else ""
            raise QueryError(wrong, right + exact, leaf.position)


def is_cheap(node: Node) -> bool:
    """Whether the phrases of a query cost so little that they may be looked for three times."""
    return 3 * cost_of(node) <= MAX_COST


def query_places(node: Node | None) -> int:
    """How many of the places for searches a query takes by its cost: one, and more if it is dear.

    See `access/limits/shares.py`.
    """
    return 1 if node is None else 1 + cost_of(node) // _OF_A_PLACE


def cost_of(node: Node) -> int:
    """What all leaves of a query cost."""
    return sum(map(leaf_cost, leaves(node)))


def leaf_cost(leaf: Leaf) -> int:
    """What a leaf costs, in tenths of a word of a loose phrase.

    A single word costs nothing, but for its forms.
    """
    if isinstance(leaf, Wildcard):
        return 0
    if isinstance(leaf, Word) and leaf.forms:
        return -(-len(leaf.forms) // _FORMS_OF_A_TENTH)
    words = tokens(leaf.text)
    if len(words) == 1:
        return 0
    if not (isinstance(leaf, Phrase) and leaf.slop):
        return min(len(words) * _EXACT_WORD, _MOST_EXACT)
    repeating = len(set(words)) < len(words)
    return len(words) * (_REPEATING_WORD if repeating else _LOOSE_WORD)
