"""The tables of parameters in docs/, made of what is declared; run as a program it writes them.

And the golden file of the OpenAPI document, and the options of commands.

A table is between the lines `<!-- parameters: PATH -->` and `<!-- end -->`; that of standard items
after `<!-- standard items -->`.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.commands.given import declared_options
from edgar_search.commands.options import PARAMETERS
from edgar_search.stored.financials import STATEMENT_NAMES
from edgar_search.web.endpoints import ENDPOINTS
from edgar_search.web.openapi.routes import document
from ingest.reading.xbrl.item_rules import Costs, Line, Lines, Rule, Subtracted, Sum
from ingest.reading.xbrl.standard_items import ITEMS

DOCS = Path(__file__).parents[2] / "docs"
GOLDEN = DOCS / "openapi.json"
PAGES = (
    "api.md",
    *(f"api/{task}.md" for task in ("search", "documents", "financials", "owners", "users")),
    "v2.md",
)
_TABLE = re.compile(r"(?<=<!-- parameters: )(\S+)( -->\n).*?(?=\n<!-- end -->)", re.DOTALL)
_ITEMS = re.compile(r"(?<=<!-- standard items -->\n).*?(?=\n?<!-- end -->)", re.DOTALL)
_LINK = re.compile(r"\]\((?=[\w-]+\.md)")
_TYPES = {
    "flag": "true or false",
    "day": "`YYYY-MM-DD`",
    "date": "`YYYY-MM-DD`, or an RFC 3339 date-time with a zone, whose date counts",
    "moment": "date-time with a zone",
}
# Where several endpoints have one path, the one with a body is shown.
_BY_PATH = {endpoint.path: endpoint for endpoint in reversed(ENDPOINTS)}


def endpoints_of(text: str) -> list[Endpoint]:
    """Return the endpoints whose tables are in a page."""
    return [_BY_PATH[match[1]] for match in _TABLE.finditer(text)]


def renewed(page: str) -> str:
    """Return a page of docs/ with its tables as they are declared."""
    text = _ITEMS.sub(_items() + "\n", (DOCS / page).read_text())
    # Descriptions link to pages of docs/.
    up = "](../" if "/" in page else "]("
    return _TABLE.sub(
        lambda match: match[1] + match[2] + _LINK.sub(up, _table(_BY_PATH[match[1]])), text
    )


def golden() -> str:
    """Return the OpenAPI document, a line for each value."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def options_of_commands() -> str:
    """Return the file from which commands read the parameters of the endpoints that they ask."""
    return json.dumps(declared_options(), indent=1, ensure_ascii=False) + "\n"


def _items() -> str:
    """Return the rules of standard items, in the order in which they are tried."""
    lines = ["| item | statement | rules |", "|---|---|---|"]
    for item in ITEMS:
        statements = ", ".join(STATEMENT_NAMES[kind] for kind in item.statements) or "cover"
        rules = [_rule(rule) for rule in item.rules]
        if item.notes:
            rules.append("from a note: " + _names(item.notes))
        if item.tags:
            rules.append("EX-27: " + _names(item.tags))
        text = "; else ".join(rules) or _OTHER_ITEMS[item.name]
        lines.append(f"| `{item.name}` | {statements} | {text} |")
    return "\n".join(lines)


_OTHER_ITEMS = {
    "shares_outstanding": "`dei:EntityCommonStockSharesOutstanding`, or the sum of its classes",
    "free_cash_flow": "`cash_from_operations` − `capital_expenditure`",
}


def _rule(rule: Rule) -> str:
    match rule:
        case Line():
            return _names(rule.concepts)
        case Costs():
            return "the sum of the lines " + _names(rule.concepts, ", ")
        case Lines():
            return "the sum of the lines " + _names((*rule.concepts, *rule.general), ", ")
        case Sum():
            groups = (_names([n.removeprefix("-") for n in g], " or ") for g in rule.groups)
            text = (" − " if rule.groups[1][0].startswith("-") else " + ").join(groups)
            return f"{text}, if the first has the second as an addend" if rule.nested else text
        case Subtracted():
            return f"what the statement subtracts to come to `{rule.total}`"


def _names(names: Iterable[str], between: str = "; ") -> str:
    return between.join(f"`{name}`" for name in names)


def _table(endpoint: Endpoint) -> str:
    named = "field" if endpoint.where == "body" else "parameter"
    lines = [f"| {named} | type | default | meaning |", "|---|---|---|---|"]
    # The key is everywhere the same, and comes last.
    for parameter in sorted(endpoint.parameters, key=lambda parameter: parameter == API_KEY):
        names = ", ".join(f"`{name}`" for name in parameter.all_spellings)
        lines.append(
            f"| {names} | {_type(parameter)} | {_default(parameter)} | {parameter.description} |"
        )
    return "\n".join(lines)


def _type(parameter: Parameter) -> str:
    longest = f"{parameter.longest:,} characters" if parameter.longest else ""
    match parameter.kind:
        case "text":
            return (parameter.of or "text") + (f", up to {longest}" if longest else "")
        case "lines":
            return "text of several lines" + (f", up to {longest}" if longest else "")
        case "integer":
            return f"whole number, {parameter.least:,} " + (
                "or more" if parameter.most is None else f"to {parameter.most:,}"
            )
        case "choice":
            return "one of " + ", ".join(f"`{choice}`" for choice in parameter.choices)
        case "list":
            most = f", at most {parameter.most:,}" if parameter.most else ""
            return f"list of {parameter.of}{most}" + (f", each up to {longest}" if longest else "")
        case "object":
            return f"object with {parameter.of}"
        case kind:
            return _TYPES[kind]


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "needed"
    if parameter.default is None:
        return "none"
    return f"`{str(parameter.default).lower() if parameter.kind == 'flag' else parameter.default}`"


if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(renewed(page))
    GOLDEN.write_text(golden())
    Path(str(PARAMETERS)).write_text(options_of_commands())
