"""Small texts full of odd places, and queries over their words."""

from hypothesis import strategies as st

from edgar_search.text.words import normalise

# Words, and what a tokenizer has to be right about: numbers, dashes, scripts, emoji, long runs.
WORDS = [
    *("net", "sales", "sale", "Net", "of", "the", "10-K", "3.5", "U.S.", "a,b", "(k)", "401(k)"),
    *(
        "company's",
        "\u201cnet\u201d",
        "na\u00efve",
        "\u65e5\u672c",
        "\U0001f600",
        "_",
        "__net",
        "x" * 300,
    ),
    *(
        "----",
        "\u2022",
        "\u0130stanbul",
        "\u03a3\u03b1\u03a3",
        "net_sales",
        "net-sales",
        "net,sales",
    ),
]
texts = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", "\n", "\t", "\n\n", ""])),
    max_size=40,
).map(lambda pieces: normalise("".join(word + blank for word, blank in pieces)))
QUERIES = [
    "net",
    "net OR sales OR the",
    '"net sales"',
    '"net net"',
    '"the net sales" OR net OR sal*',
    '"sales net"~1',
    '"net net"~3',
    '"net sales net"~2',
    '"of the"~5 OR "net of"',
    "na\u00efve",
    "\u65e5\u672c OR \U0001f600",
    '"\u65e5\u672c net"',
    "net_sales",
    "i\u0307stanbul OR istanbul",
    "\u03c3\u03b1\u03c3",
    "401(k) OR 3.5",
    "sal*s OR sale?",
    '"k x" OR 10-K',
    f"{'x' * 255} OR {'x' * 45}",
    "net NOT sales",
]
queries = st.sampled_from(QUERIES)
