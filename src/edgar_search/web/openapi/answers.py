"""Types of answers as schemas of OpenAPI; pure."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec

from edgar_search.web.declaration import Endpoint

Json = dict[str, Any]

_REFERENCE = "#/components/schemas/"


def area_of(endpoint: Endpoint) -> str:
    """The part of the interface that an endpoint belongs to: the first part of its path."""
    return endpoint.path.split("/")[1] if endpoint.path.count("/") > 1 else "reference"


def answer_schemas(endpoints: Sequence[Endpoint]) -> tuple[dict[str, Json], Json]:
    """The schema of each path's answer, and the components that these refer to.

    A component is named by its area and its type: two dialects may have types of one name.
    """
    by_area: dict[str, dict[str, Any]] = defaultdict(dict)
    for endpoint in endpoints:
        if endpoint.answer is not None:
            by_area[area_of(endpoint)][endpoint.path] = endpoint.answer
    schemas: dict[str, Json] = {}
    components: Json = {}
    for area, answers in by_area.items():
        template = f"{_REFERENCE}{area}.{{name}}"
        found, named = msgspec.json.schema_components(answers.values(), ref_template=template)
        schemas |= dict(zip(answers, found, strict=True))
        components |= {f"{area}.{name}": schema for name, schema in named.items()}
    return schemas, components
