"""The parameters that select documents, and the criteria that they become."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter, Shown
from edgar_search.api.parameters.filters import (
    DOCUMENT_FILTERS,
    FILING_FILTERS,
    FROM_DATE,
    KIND_FILTERS,
    PERIOD_FILTERS,
    TO_DATE,
    WITH,
    read_filters,
)
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar import identifiers
from edgar_search.edgar.calendar import today
from edgar_search.edgar.identifiers import DOCUMENT_ID
from edgar_search.errors import BadRequest
from edgar_search.metrics.masking import without_keys
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import (
    OPERANDS,
    DocumentCriteria,
)
from edgar_search.search.language import (
    EXACT,
    WORD_FORMS,
    Node,
    add_word_forms,
    parse_query,
)
from edgar_search.search.language.dialects import DIALECTS, Translation, translate
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.search.reading.companies import find_names
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.search.reading.question import (
    PERSON,
    READINGS,
    Kind,
    Question,
    Reading,
    read_with_forms,
)

READING = Parameter(
    "reading",
    "choice",
    "`person`: the query is read as a question that somebody typed,"
    " see [Questions](query-language.md#questions)",
    default="exact",
    choices=READINGS,
    shown=Shown("the query as it is written", "the query as it is written", default="person"),
)
DIALECT = Parameter(
    "dialect",
    "choice",
    "the language of the query, if it is that of another system: it is translated, and `warnings`"
    " has the translation and what it leaves out,"
    " see [Other systems' languages](query-language.md#other-systems-languages)",
    default="own",
    choices=("own", *DIALECTS),
)
# The parameters that select documents in a search.
FINDING = (
    Parameter(
        "query",
        "text",
        "the query, in the query language",
        required=True,
        longest=MAX_QUERY_CHARS,
    ),
    *KIND_FILTERS,
    FROM_DATE,
    TO_DATE,
    *FILING_FILTERS,
    *PERIOD_FILTERS,
    *DOCUMENT_FILTERS,
    WITH,
    Parameter(
        "word_forms",
        "choice",
        "`all`: words in lower case also find their inflections,"
        " see [Forms of a word](query-language.md#forms-of-a-word); `related`: also"
        " [related words](query-language.md#related-words)",
        default=EXACT,
        choices=WORD_FORMS,
        shown=Shown(
            "{}",
            "the choice of forms of words",
            values=(("exact", "words as they are written"), ("all", "words without related ones")),
            default="related",
        ),
    ),
    READING,
    DIALECT,
    Parameter(
        "ids",
        "list",
        "only these documents",
        ("document_ids",),
        of="document ids",
        pattern=DOCUMENT_ID,
        shown=Shown("document {}", "the choice of documents", picks="filer"),
    ),
)
OPERANDS_PARAMETER = Parameter(
    "operands",
    "choice",
    "with `most` a document matches that has any of the words, phrases and groups of the query, or"
    " is of the company or person that a question names; the best come first",
    default="all",
    choices=OPERANDS,
    shown=Shown("all of the words", "all of the words", default="most"),
)
RAW = Parameter(
    "raw",
    "flag",
    "true: texts in CSV are as filed; else those that a spreadsheet would read as a formula have an"
    " apostrophe before them",
    default=False,
)
DOCUMENT_ID_PARAMETER = Parameter(
    "document_id",
    "text",
    "the document",
    required=True,
    type=types.DOCUMENT_ID,
    of="document id",
    pattern=identifiers.DOCUMENT_ID,
)


def required_query(parameters: Parameters, names: Names = NO_NAMES) -> DocumentCriteria:
    """Read `document_criteria`; BadRequest if there is no query."""
    if parameters.text("query") is None:
        raise BadRequest("Missing query parameter")
    return document_criteria(parameters, names)


def document_criteria(
    parameters: Parameters, names: Names = NO_NAMES, *, all_documents: bool = False
) -> DocumentCriteria:
    """Read criteria from the parameters in `FINDING`; raises BadRequest.

    `names` are the companies that a question names.
    """
    node, reading, translation = read_query(parameters, names)
    return DocumentCriteria(
        query=node,
        filings=read_filters(parameters),
        ids=parameters.values("ids"),
        all_documents=all_documents,
        reading=reading,
        translation=translation,
    )


def read_query(
    parameters: Parameters, names: Names
) -> tuple[Node | None, Reading | None, Translation | None]:
    """Read the query with its word forms, its reading as a question, and its translation."""
    query, word_forms = parameters.text("query"), parameters.choice_of("word_forms", WORD_FORMS)
    if query is None:
        return None, None, None
    translation = None
    # The page of a document has no parameter for it.
    named = parameters.choice(DIALECT.name) if DIALECT.name in parameters else ""
    dialect = next((known for known in DIALECTS if known == named), None)
    if dialect is not None:
        translation = translate(query, dialect)
        query = translation.query
    if parameters.choice("reading") != PERSON:
        return add_word_forms(parse_query(query), word_forms), None, translation
    question = Question(query, word_forms, today=today())
    return *read_with_forms(question, names), translation


async def names_of(context: SearchContext, raw: Mapping[str, Sequence[str]]) -> Names:
    """Find the companies that a request names, if its query is to be read as a question.

    Makes one engine request if a word may be a name, and none if the request will be refused.
    """
    queries = [query for query in raw.get("query", ()) if query.strip()]
    is_question = PERSON in map(str.strip, raw.get(READING.name, ()))
    if not is_question or len(queries) != 1 or len(queries[0]) > MAX_QUERY_CHARS:
        return NO_NAMES
    return await find_names(context, queries[0])


class RecognisedPart(Struct):
    """A part of a question, how it is read, and its position in the query, `end` exclusive."""

    kind: Kind
    text: str
    meaning: str
    start: int
    end: int


def recognised_parts(criteria: DocumentCriteria) -> list[RecognisedPart]:
    """Return the recognised parts of a question, in order."""
    recognised = criteria.reading.recognised if criteria.reading else ()
    return [
        RecognisedPart(
            part.kind, without_keys(part.text), without_keys(part.meaning), part.start, part.end
        )
        for part in recognised
    ]


def raw_flag(parameters: Parameters) -> bool:
    """Read the parameter `raw`; BadRequest for a format in which texts are always as filed."""
    raw = parameters.flag("raw")
    if raw and parameters.choice("format") != "csv":
        raise BadRequest("`raw=true` needs `format=csv`; other formats have texts as filed")
    return raw
