"""Reads XML elements with their positions, without building a tree of the document."""

import re
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from html import unescape

from edgar_search.errors import EdgarSearchError

DEEPEST = 100  # the deepest nesting; EDGAR's own forms have 12 levels

# An element that contains only text, as most do; a comment, CDATA, an instruction or declaration, a
# tag; then the text up to the next "<".
_TOKEN = re.compile(
    r"<(?:(?P<leaf>[^\s/>!?][^\s/>]*+)>(?P<value>[^<]*+)</(?P=leaf)>"
    r"|!--.*?-->|!\[CDATA\[(?P<cdata>.*?)\]\]>|\?.*?\?>|![^<>]*>"
    r"|(?P<end>/)?(?P<name>[^\s/>!?][^\s/>]*)(?P<attributes>(?:[^\"'<>]|\"[^\"]*\"|'[^']*')*)>)"
    r"(?P<text>[^<]*)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


class FormRefused(EdgarSearchError):
    """The XML is nested more deeply than any of EDGAR's own forms."""


class Run:
    """The characters of a value as written, including entities, from `start` in the XML."""

    __slots__ = ("is_literal", "raw", "start")

    def __init__(self, raw: str, start: int, is_literal: bool = False) -> None:
        self.raw = raw
        self.start = start
        self.is_literal = is_literal  # of CDATA, in which "&" is a character

    @property
    def end(self) -> int:
        """The position after its last character."""
        return self.start + len(self.raw)

    @property
    def text(self) -> str:
        """The characters after entities are resolved."""
        return self.raw if self.is_literal or "&" not in self.raw else unescape(self.raw)


Cells = list["Run | None"]


class Element:
    """An element, whose `name` lacks any prefix; its attributes are runs by name.

    It spans `start` to `end` in the XML, including its tags. One that was read as a row has `cells`
    instead of children: the runs of its columns, None for a missing column.
    """

    __slots__ = ("attributes", "cells", "children", "end", "name", "runs", "start")

    def __init__(self, name: str, attributes: dict[str, Run], start: int = 0) -> None:
        self.name = name
        self.start = self.end = start
        self.attributes = attributes
        self.cells: Cells | None = None
        self.children: list[Element] = []
        self.runs: list[Run] = []  # its own text, without surrounding blanks

    @property
    def text(self) -> str:
        """Its own text, with white space reduced to single blanks."""
        return " ".join("".join([run.text for run in self.runs]).split())

    def find(self, *path: str) -> "Element | None":
        """Return the first element at `path` below this one, or None."""
        element = self
        for name in path:
            for child in element.children:
                if child.name == name:
                    element = child
                    break
            else:
                return None
        return element

    def all(self, name: str) -> "list[Element]":
        """Return the children with this name."""
        return [child for child in self.children if child.name == name]

    def below(self) -> "Iterator[Element]":
        """Yield all descendants, in order."""
        for child in self.children:
            yield child
            yield from child.below()

    def leaves(self) -> "Iterator[Element]":
        """Yield the elements that have text or attributes of their own, beginning with this one."""
        if self.runs or self.attributes:
            yield self
        for child in self.children:
            yield from child.leaves()


class Step(Enum):
    """A step of the walk through a document."""

    START = "start"
    WHOLE = "whole"
    END = "end"


Steps = Iterator[tuple[Step, Element]]


class Rows:
    """Elements of one name whose columns are leaves in a known order, each optional.

    A table has tens of thousands of them, and one expression reads a row in a tenth of the time
    that its tokens take. A row that is written differently is read like any element.
    """

    def __init__(self, name: str, columns: Sequence[tuple[str, ...]]) -> None:
        self.name, self.columns = name, columns
        open_groups: list[str] = []
        parts = [rf"\s*+<(?P<prefix>(?:[\w.-]++:)?){name}>\s*+"]
        for *groups, leaf in columns:
            while open_groups and open_groups != groups[: len(open_groups)]:
                parts.append(rf"</(?P=prefix){open_groups.pop()}>\s*+)?)")
            for group in groups[len(open_groups) :]:
                parts.append(rf"(?>(?:<(?P=prefix){group}>\s*+")
                open_groups.append(group)
            parts.append(rf"(?>(?:<(?P=prefix){leaf}>([^<]*+)</(?P=prefix){leaf}>\s*+)?)")
        parts += [rf"</(?P=prefix){each}>\s*+)?)" for each in reversed(open_groups)]
        # Text after a row belongs to the element around it.
        self._row = re.compile("".join(parts) + rf"</(?P=prefix){name}>(?P<end>)(?=\s*+<)")

    def texts(self, xml: str, at: int) -> tuple[list[str], int] | None:
        """Return the texts of the columns of the row at this position, and the row's end.

        None if there is no row, or it is written differently.
        """
        row = self._row.match(xml, at)
        if row is None:
            return None
        texts = [
            " ".join((unescape(raw) if "&" in raw else raw).split()) for raw in row.groups("")[1:-1]
        ]
        return texts, row.start("end")

    def match(self, xml: str, at: int) -> Element | None:
        """Return the next row as an element.

        None if there is none, or it is written differently.
        """
        texts_and_end = self._row.match(xml, at)
        if texts_and_end is None:
            return None
        row = Element(self.name, {}, texts_and_end.start("prefix") - 1)
        row.end = texts_and_end.start("end")
        row.cells = [
            None if raw is None else _stripped(raw, texts_and_end.start(number))
            for number, raw in enumerate(texts_and_end.groups()[1:-1], 2)
        ]
        return row


def _stripped(raw: str, start: int) -> Run | None:
    """Return the run of a text without surrounding blanks, or None if it is empty."""
    stripped = raw.strip()
    if not stripped:
        return None
    return Run(stripped, start if stripped is raw else start + raw.index(stripped[0]))


def walk(xml: str, whole: Collection[str] = (), rows: Rows | None = None) -> Steps:
    """Yield START and END of each element with children, and WHOLE for all others, in order.

    Elements named in `whole` are yielded WHOLE with their contents, and so are elements that `rows`
    matches, with their cells. Nothing is kept of the others. Malformed XML is read leniently: an
    open element ends with the document, or with its parent. Raises FormRefused.
    """
    path = _Path(whole)
    at = 0
    while True:
        while rows is not None and (row := rows.match(xml, at)) is not None:
            yield from path.start(row)
            yield from path.end(row.name, row.end)
            at = row.end
        token = _TOKEN.search(xml, at)
        if token is None:
            break
        at = token.end()
        leaf, value, cdata, end, name, attributes, text = token.groups()
        if leaf is not None:
            element = Element(local_name(leaf), {}, token.start())
            if not path.add_leaf(element, value, token.start("value"), token.start("text")):
                yield from path.start(element)
                path.add_text(value, token.start("value"))
                yield from path.end(element.name, token.start("text"))
        elif name is None:
            if cdata:
                path.add_text(cdata, token.start("cdata"), is_literal=True)
        elif end:
            yield from path.end(local_name(name), token.start("text"))
        else:
            element = Element(local_name(name), {}, token.start())
            if "=" in attributes:
                element.attributes = _read_attributes(attributes, token.start("attributes"))
            yield from path.start(element)
            if attributes and attributes[-1] == "/":
                yield from path.end(element.name, token.start("text"))
        if text and not text.isspace():
            path.add_text(text, token.start("text"))
    yield from path.end_all(len(xml))


class _Path:
    """The elements that are open at a position in the document."""

    def __init__(self, whole: Collection[str]) -> None:
        self._whole = whole
        self._open: list[Element] = []
        self._started = 0  # the number of them that have been yielded as START
        self._level_of_whole: int | None = None  # of the element that comes with all that is in it

    def add_leaf(self, element: Element, raw: str, start: int, behind: int) -> bool:
        """Add a text-only element to the one that is yielded whole.

        Returns True if it is inside one.
        """
        if self._level_of_whole is None or len(self._open) == DEEPEST:
            return False
        element.end = behind
        if run := _stripped(raw, start):
            element.runs.append(run)
        self._open[-1].children.append(element)
        return True

    def start(self, element: Element) -> Steps:
        """Open an element, which proves that its parents have children."""
        if len(self._open) == DEEPEST:
            raise FormRefused(f"more than {DEEPEST} elements in each other")
        if self._level_of_whole is None:
            while self._started < len(self._open):
                yield Step.START, self._open[self._started]
                self._started += 1
            if element.name in self._whole:
                self._level_of_whole = len(self._open)
        self._open.append(element)

    def end(self, name: str, at: int) -> Steps:
        """Close the innermost element of this name and its contents.

        Does nothing if none is open.
        """
        if self._open and self._open[-1].name == name:
            if step := self._close(at):
                yield step
        elif any(element.name == name for element in self._open):
            while True:
                is_last = self._open[-1].name == name
                if step := self._close(at):
                    yield step
                if is_last:
                    return

    def end_all(self, at: int) -> Steps:
        """Close all elements, at the end of the document."""
        while self._open:
            if step := self._close(at):
                yield step

    def add_text(self, raw: str, start: int, *, is_literal: bool = False) -> None:
        """Add text to the innermost element, without surrounding blanks."""
        if self._open and (stripped := raw.strip()):
            run = Run(stripped, start + raw.index(stripped[0]), is_literal)
            self._open[-1].runs.append(run)

    def _close(self, at: int) -> tuple[Step, Element] | None:
        element = self._open.pop()
        element.end = at
        level = len(self._open)
        if self._level_of_whole is not None and level > self._level_of_whole:
            self._open[-1].children.append(element)
            return None
        if level < self._started:
            self._started -= 1
            return Step.END, element
        self._level_of_whole = None
        return Step.WHOLE, element


def local_name(name: str) -> str:
    """Return the name without its prefix."""
    return name.rpartition(":")[2] if ":" in name else name


def _read_attributes(raw: str, start: int) -> dict[str, Run]:
    """Read the attributes that have values, except for namespaces and schemas."""
    attributes = {}
    for match in _ATTRIBUTE.finditer(raw):
        group = 2 if match[2] is not None else 3
        if match[1].startswith(("xmlns", "xsi:")) or not match[group].strip():
            continue
        value = match[group].strip()
        at = start + match.start(group) + match[group].index(value[0])
        attributes[local_name(match[1])] = Run(value, at)
    return attributes
