"""Operations of bulk requests."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from edgar_search.engine import bulk_lines
from edgar_search.engine.replies import Stored


class Thing(Struct):
    text: str


READ = Stored("a", True, Thing("old"), 7, 2)
VERSION = b'"version":5,"version_type":"external_gte"'


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (
            bulk_lines.index("t-k", "a", Thing("x")),
            b'{"index":{"_index":"t-k","_id":"a"}}\n{"text":"x"}\n',
        ),
        (
            bulk_lines.index("t-k", "a", Thing("x"), 5),
            b'{"index":{"_index":"t-k","_id":"a",%b}}\n{"text":"x"}\n' % VERSION,
        ),
        (
            bulk_lines.create("t-k", "a", Thing("x")),
            b'{"create":{"_index":"t-k","_id":"a"}}\n{"text":"x"}\n',
        ),
        (bulk_lines.delete("t-k", "a"), b'{"delete":{"_index":"t-k","_id":"a"}}\n'),
        (bulk_lines.delete("t-k", "a", 5), b'{"delete":{"_index":"t-k","_id":"a",%b}}\n' % VERSION),
        (
            bulk_lines.guarded_index("t-k", READ, Thing("x")),
            b'{"index":{"_index":"t-k","_id":"a","if_seq_no":7,"if_primary_term":2}}\n'
            b'{"text":"x"}\n',
        ),
        (
            bulk_lines.guarded_delete("t-k", READ),
            b'{"delete":{"_index":"t-k","_id":"a","if_seq_no":7,"if_primary_term":2}}\n',
        ),
    ],
)
def test_operation_is_an_action_and_its_document(operation: bytes, expected: bytes) -> None:
    assert operation == expected
    assert bulk_lines.key_of(operation) == "a"


def test_version_is_changed_in_actions_alone() -> None:
    text = Thing('"version":5,"version_type":"external_gte"')
    old, new = (bulk_lines.index("t-k", "a", text, version) for version in (5, 6))
    assert bulk_lines.with_version(old, 5, 6) == new
    assert bulk_lines.with_version(old, 4, 6) == old


def _operation(key: str, text: str | None) -> bytes:
    if text is None:
        return bulk_lines.delete("t-k", key)
    return bulk_lines.index("t-k", key, Thing(text))


@given(st.lists(st.builds(_operation, st.text(), st.none() | st.text())), st.integers(0, 300))
def test_operations_are_found_again_in_bodies(operations: list[bytes], size: int) -> None:
    bodies = list(bulk_lines.bodies(operations, size))
    found: list[Any] = [each for body in bodies for each in bulk_lines.operations_in(body)]
    assert found == operations
    assert all(len(body) <= size or len(bulk_lines.operations_in(body)) == 1 for body in bodies)
