"""The parameters of the endpoints on one document's text, as frozen values."""

import re

from msgspec import Struct

from edgar_search.edgar.identifiers import is_document_id
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import Operands, Window
from edgar_search.search.language import Node, formed, read
from edgar_search.web.parameters import Parameters, Raw
from edgar_search.web.v1.evidence.endpoints import MATCHES, TEXT
from edgar_search.web.v1.parameters import OPERANDS_BY_NAME

_SHA256 = re.compile("[0-9a-f]{64}")


class MatchesParams(Struct, frozen=True):
    """Which matches of which document are asked for."""

    document_id: str
    query: Node
    window: Window
    operands: Operands


class TextParams(Struct, frozen=True):
    """Which part of which text is asked for; None and "" where nothing was said."""

    document_id: str
    start: int | None
    length: int
    section: str
    text_sha256: str


def matches_params(raw: Raw) -> MatchesParams:
    """The parameters of `/v1/matches`; BadRequest names what is wrong."""
    parameters = Parameters(raw, MATCHES.parameters)
    document_id = _document_id(parameters)
    query = parameters.single("query")
    if query is None:
        raise BadRequest("Missing query parameter")
    offset = parameters.integer("offset")
    return MatchesParams(
        document_id,
        formed(read(query), parameters.choice("word_forms")),
        Window(offset, offset + parameters.integer("limit")),
        OPERANDS_BY_NAME[parameters.choice("operands")],
    )


def text_params(raw: Raw) -> TextParams:
    """The parameters of `/v1/text`; BadRequest names what is wrong."""
    parameters = Parameters(raw, TEXT.parameters)
    given = parameters.single("start") is not None
    return TextParams(
        _document_id(parameters),
        parameters.integer("start") if given else None,
        parameters.integer("length"),
        (parameters.single("section") or "").strip(),
        _sha256(parameters),
    )


def _document_id(parameters: Parameters) -> str:
    text = parameters.single("document_id")
    if text is None:
        raise BadRequest("document_id: is missing")
    if not is_document_id(text.strip()):
        raise BadRequest(
            "document_id: no document id; it is an accession number, a dash and a number"
        )
    return text.strip()


def _sha256(parameters: Parameters) -> str:
    text = (parameters.single("text_sha256") or "").strip().lower()
    if text and not _SHA256.fullmatch(text):
        raise BadRequest("text_sha256: no SHA-256; it has 64 hexadecimal digits")
    return text
