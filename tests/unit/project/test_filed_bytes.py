"""The service parses what was filed in processes with bounds only: never where its requests are."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.engines import CHECKOUT

SOURCE = CHECKOUT / "src"
# Modules whose functions parse filed bytes; those of the service run in a reading room only.
READERS = frozenset(
    f"edgar_search.{name}"
    for name in (
        "api.files.tables",
        "document.filed_layout",
        "document.filed_styles",
        "document.section_cuts",
        "text.document_text",
        "text.filed_parts",
        "text.forms",
        "text.html",
        "text.inline_numbers",
        "text.place_map",
        "text.place_marks",
        "text.unclosed_html",
        "text.xml",
        "web.pages.frame_html",
        "web.v2.document_json",
    )
)
# Functions of other modules that do, by module.
FUNCTIONS = {
    "edgar_search.api.tables": {"tables_in"},
    "edgar_search.document.pdf": {"named_in"},
    "edgar_search.edgar.document": {"section_content"},
}
# Programs of their own, which end at a bound, and packages that readers consist of.
BOUNDED = ("document.print_process", "document.comparison", "text.", "edgar.")


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules of the service that run in its own process, with their trees."""
    for path in sorted((SOURCE / "edgar_search").rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        if name not in READERS and not name.removeprefix("edgar_search.").startswith(BOUNDED):
            yield name, ast.parse(path.read_text())


def readers_in(name: str, tree: ast.Module) -> set[str]:
    """Return the names of functions that parse filed bytes in a module."""
    found = set(FUNCTIONS.get(name, ()))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            functions = {each.asname or each.name for each in node.names if each.name.islower()}
            if node.module in READERS:
                found |= functions
            found |= functions & FUNCTIONS.get(node.module, set())
    return found


def calls_outside(name: str, tree: ast.Module) -> list[str]:
    """Return the uses of readers that are not the work of `room.run`, by line."""
    readers = readers_in(name, tree)
    given = {
        id(node.args[1])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and len(node.args) > 1
    }
    return [
        f"{name}:{node.lineno} {node.id}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id in readers and id(node) not in given
    ]


def patterns_of_bytes(name: str, tree: ast.Module) -> list[str]:
    """Return the regular expressions over bytes in a module, by line."""
    return [
        f"{name}:{node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and any(
            isinstance(each, ast.Constant) and isinstance(each.value, bytes)
            for argument in node.args
            for each in ast.walk(argument)
        )
    ]


def imports_of_readers(name: str, tree: ast.Module) -> list[str]:
    """Return the imports of whole modules that parse filed bytes, whose uses nobody would find."""
    return [
        f"{name}:{node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Import) and any(each.name in READERS for each in node.names)
    ]


def test_readers_of_filed_bytes_are_called_in_a_reading_room_only() -> None:
    found = [each for name, tree in modules() for each in calls_outside(name, tree)]
    assert found == [], "give it to `ReadingRoom.run`, which bounds its time and memory"
    assert [reader for name, tree in modules() for reader in imports_of_readers(name, tree)] == []


def test_no_regular_expression_of_the_service_runs_over_bytes() -> None:
    assert [each for name, tree in modules() for each in patterns_of_bytes(name, tree)] == []


@pytest.mark.parametrize(
    "source",
    [
        "from edgar_search.document.filed_layout import make_view\nmake_view(None, b'')",
        "from edgar_search.text.place_map import map_places as m\nasyncio.to_thread(m, b'')",
    ],
)
def test_a_call_in_the_service_would_be_found(source: str) -> None:
    assert len(calls_outside("edgar_search.web.x", ast.parse(source))) == 1


def test_a_pattern_in_the_service_would_be_found() -> None:
    tree = ast.parse('import re\n_A = re.compile(rb"a" + rb"b")')
    assert patterns_of_bytes("edgar_search.web.x", tree) == ["edgar_search.web.x:2"]


def test_all_readers_are_modules() -> None:
    for name in READERS | FUNCTIONS.keys():
        path = SOURCE / Path(*name.split("."))
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists(), name
