"""The MCP server: few tools, each over one endpoint, with answers that a model can read.

An answer has at most about 3,000 tokens unless more is requested, and says how to continue.
Positions are in code points of a document's text; `document_id`, `text_sha256`, `start` and `end`
are a citation.
"""

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any, TypeVar

import msgspec
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp_types import ToolAnnotations

from edgar_search.api.text import FIND_TEXT
from edgar_search.settings.extras import PACKAGE
from edgar_search.web.mcp.answering import answer_tools
from edgar_search.web.mcp.answers import NOTICE
from edgar_search.web.mcp.asking import Ask, ToolCalls
from edgar_search.web.mcp.checks import check_tools
from edgar_search.web.mcp.numbers import number_tools
from edgar_search.web.mcp.ownership import ownership_tools
from edgar_search.web.mcp.texts import text_tools

INSTRUCTIONS = (
    "Full text of SEC EDGAR filings. Find documents with search_filings, places in one with"
    " find_in_document, read with read_document. Before you quote a filing, check the sentence with"
    " check_quote, and cite document_id, text_sha256, start and end. Check your whole answer with"
    " check_draft. " + NOTICE
)
T = TypeVar("T")
_READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def make_server(ask_of: Callable[[Context[Any, Any]], Ask]) -> MCPServer[Any]:
    """Make the server; `ask_of` returns what makes the calls of a request."""
    server: MCPServer[Any] = MCPServer(
        "edgar-search", instructions=INSTRUCTIONS, version=version(PACKAGE), log_level="WARNING"
    )

    call = ToolCalls(ask_of)

    async def resource(answer: Awaitable[T]) -> T:
        try:
            return await answer
        except ToolError as error:
            # Any other error is logged as a fault.
            raise ResourceError(str(error)) from None

    for tool in (
        *text_tools(call),
        *answer_tools(call),
        *check_tools(call),
        *number_tools(call),
        *ownership_tools(call),
    ):
        server.add_tool(tool, annotations=_READ_ONLY, structured_output=True)

    @server.resource("edgar-search://document/{document_id}", mime_type="text/plain")
    async def document(document_id: str, context: Context[Any, Any]) -> str:
        """Return the beginning of a document's text, 40,000 characters at most."""
        operation = call(context, FIND_TEXT, document_id=document_id, length=40_000)
        return (await resource(operation)).text

    @server.resource("edgar-search://filing/{accession_number}", mime_type="application/json")
    async def filing(accession_number: str, context: Context[Any, Any]) -> str:
        """Return a filing's header and documents."""
        answer = call.version_2(context, "/v2/filing_info", accession_number=accession_number)
        reply = await resource(answer)
        return msgspec.json.encode(reply).decode()

    return server
