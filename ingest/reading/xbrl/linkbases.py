"""The schema and the linkbases of a filing: titles of roles, trees of concepts, sums, labels.

They are in separate files or inside the schema; all are read alike, as streams.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree

from ingest.reading.xbrl.xml_stream import elements

_LINK = "{http://www.xbrl.org/2003/linkbase}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_WANTED = frozenset(
    f"{_LINK}{name}"
    for name in ("roleType", "loc", "presentationArc", "calculationArc", "label", "labelArc")
)
_STANDARD_LABEL = "http://www.xbrl.org/2003/role/label"
# Deeper trees are cut off; this also ends a circle of arcs.
_MAX_TREE = 40
# More lines than in any statement; a circle of arcs would never end.
_MAX_NODES = 20_000


class Node(NamedTuple):
    """A position of a concept in a tree; `label_role` is the label that the filer prefers there."""

    concept: str
    depth: int
    label_role: str


class Role(NamedTuple):
    """A part of the filing, whose definition is such as `0002 - Statement - BALANCE SHEETS`."""

    uri: str
    definition: str
    nodes: list[Node]


class Addend(NamedTuple):
    """A concept that is part of a total; a negative weight subtracts it."""

    concept: str
    weight: float


# The addends of totals.
Sums = dict[str, list[Addend]]


class Taxonomy(NamedTuple):
    """The roles in the order of their definitions, labels by concept and role, sums by role URI."""

    roles: list[Role]
    labels: dict[str, dict[str, str]]
    sums: dict[str, Sums]

    def label(self, concept: str, role: str = _STANDARD_LABEL) -> str:
        """Return the preferred label, else the standard one, else the concept's name."""
        labels = self.labels.get(concept, {})
        return labels.get(role) or labels.get(_STANDARD_LABEL) or concept.partition(":")[2]


class _Arc(NamedTuple):
    order: float
    child: str
    label_role: str


def read_taxonomy(files: Iterable[bytes]) -> Taxonomy:
    """Read the schema and linkbases of a filing; raises XbrlError."""
    definitions: dict[str, str] = {}
    arcs: dict[str, dict[str, list[_Arc]]] = {}
    labels: dict[str, dict[str, str]] = {}
    sums: dict[str, Sums] = {}
    for data in files:
        link = _ExtendedLink(None)
        for element in elements(data, lambda tag, _: tag in _WANTED):
            if element.tag == f"{_LINK}roleType":
                definition = element.findtext(f"{_LINK}definition") or ""
                definitions[element.get("roleURI", "")] = " ".join(definition.split())
                continue
            if element.getparent() is not link.element:
                link.finish(arcs, labels, sums)
                link = _ExtendedLink(element.getparent())
            link.take(element)
        link.finish(arcs, labels, sums)
    roles = [
        Role(uri, definitions.get(uri, ""), list(_tree(children))) for uri, children in arcs.items()
    ]
    roles.sort(key=lambda role: (not role.definition, role.definition))
    return Taxonomy(roles, labels, sums)


class _ExtendedLink:
    """One extended link, whose arcs refer to its locators and labels by local names."""

    def __init__(self, element: etree._Element | None) -> None:
        self.element = element
        self._role = "" if element is None else element.get(f"{_XLINK}role", "")
        self._concepts: dict[str, str] = {}
        self._labels: dict[str, list[tuple[str, str, str]]] = {}
        self._presented: list[tuple[str, str, float, str]] = []
        self._summed: list[tuple[str, str, float]] = []
        self._labelled: list[tuple[str, str]] = []

    def take(self, element: etree._Element) -> None:
        name = element.get(f"{_XLINK}label", "")
        ends = element.get(f"{_XLINK}from", ""), element.get(f"{_XLINK}to", "")
        if element.tag == f"{_LINK}loc":
            fragment = unquote(element.get(f"{_XLINK}href", "").rpartition("#")[2])
            # An element's id is its prefix, an underscore and its name, by EDGAR's rules.
            self._concepts[name] = fragment.replace("_", ":", 1)
        elif element.tag == f"{_LINK}label":
            text = " ".join("".join(map(str, element.itertext())).split())
            role, language = element.get(f"{_XLINK}role", ""), element.get(f"{_XML}lang", "")
            self._labels.setdefault(name, []).append((role, language, text))
        elif element.get("use") == "prohibited":
            return
        elif element.tag == f"{_LINK}labelArc":
            self._labelled.append(ends)
        elif element.tag == f"{_LINK}calculationArc":
            self._summed.append((*ends, _number(element.get("weight"))))
        else:
            role = element.get("preferredLabel", "")
            self._presented.append((*ends, _number(element.get("order")), role))

    def finish(
        self,
        arcs: dict[str, dict[str, list[_Arc]]],
        labels: dict[str, dict[str, str]],
        sums: dict[str, Sums],
    ) -> None:
        """Add the link's contents to all arcs, labels and sums."""
        concepts = self._concepts
        for parent, child, order, role in self._presented:
            if parent in concepts and child in concepts:
                children = arcs.setdefault(self._role, {}).setdefault(concepts[parent], [])
                children.append(_Arc(order, concepts[child], role))
        for parent, child, weight in self._summed:
            if parent in concepts and child in concepts:
                addends = sums.setdefault(self._role, {}).setdefault(concepts[parent], [])
                addends.append(Addend(concepts[child], weight))
        for concept, resource in self._labelled:
            of_concept = labels.setdefault(concepts.get(concept, ""), {})
            for role, language, text in self._labels.get(resource, ()):
                if role not in of_concept or language.lower().startswith("en"):
                    of_concept[role] = text


def _number(text: str | None) -> float:
    """Parse an order or a weight, which is 1 if it is missing or not a number."""
    try:
        return float(text or 1)
    except ValueError:
        return 1.0


def _tree(children: dict[str, list[_Arc]]) -> Iterator[Node]:
    """Yield the nodes from the roots down, in the order of the arcs."""
    below = {arc.child for arcs in children.values() for arc in arcs}
    roots = [parent for parent in children if parent not in below]
    stack = [Node(root, 0, "") for root in reversed(roots)]
    count = 0
    while stack and count < _MAX_NODES:
        count += 1
        node = stack.pop()
        yield node
        if node.depth < _MAX_TREE:
            ordered = sorted(children.get(node.concept, ()), key=lambda arc: arc.order)
            stack += [Node(arc.child, node.depth + 1, arc.label_role) for arc in reversed(ordered)]
