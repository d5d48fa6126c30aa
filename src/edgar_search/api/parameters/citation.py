"""The parameters of a citation, and of the context that it needs."""

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.citations import CITED, MAX_QUOTE, Citation
from edgar_search.document.text import MOST_CHARS
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import CITATION
from edgar_search.text.words import normalise

CITATION_PARAMETERS = (
    Parameter(
        "prefix",
        "text",
        "of a citation: the characters before `start`, by which the place is found in another text;"
        " needs `text_sha256`, `start`, and `length` or `quote`",
        longest=CITED,
    ),
    Parameter("suffix", "text", "of a citation: the characters after its end", longest=CITED),
    Parameter(
        "quote",
        "text",
        "the words of a citation; without them a part of the same length counts as the same words",
        longest=MAX_QUOTE,
    ),
)
# The cited text, with its maximum length.
CITED_TEXT = (
    Parameter(
        "length",
        "integer",
        "code points in the answer at most",
        least=1,
        most=MOST_CHARS,
        default=MOST_CHARS,
    ),
    Parameter(
        "text_sha256",
        "text",
        "the hash of the cited text; if the text of the document has changed, the answer is a"
        " 410, or with `prefix`, `suffix` or `quote` the part of the new text that they match",
        type=types.SHA256,
        of="SHA-256, 64 hexadecimal digits",
        pattern="[0-9a-fA-F]{64}",
    ),
)
INCLUDE_CITATION = Parameter(
    "include",
    "list",
    f"`citation`: `prefix` and `suffix`, the {CITED} characters on each side, for a citation that"
    " can be found again if the text changes",
    of="names of fields",
    choices=(CITATION,),
)


def citation_of(parameters: Parameters, start: str = "start") -> Citation | None:
    """Read the citation from `CITATION_PARAMETERS`, if there is one.

    `start` is the name of the parameter for its position. BadRequest names what is missing or too
    long.
    """
    words = {each.name: parameters.bounded_text(each.name) or "" for each in CITATION_PARAMETERS}
    first = next((name for name, text in words.items() if text), None)
    if first is None:
        return None
    for needed in ("text_sha256", start):
        if parameters.text(needed) is None:
            raise BadRequest(f"`{first}` needs `{needed}`, which says what was cited")
    if not words["quote"] and parameters.text("length") is None:
        raise BadRequest(f"`{first}` needs `length` or `quote`, which say what was cited")
    parameters.required_value("text_sha256")
    length = (
        len(words["quote"]) if parameters.text("length") is None else parameters.integer("length")
    )
    prefix, quote, suffix = (normalise(words[name]) for name in ("prefix", "quote", "suffix"))
    return Citation(parameters.integer(start), length, prefix, quote, suffix)
