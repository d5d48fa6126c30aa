"""How watermarks are read."""

import pytest

from edgar_search.doctor.nodes import least_free


@pytest.mark.parametrize(
    ("mark", "free"),
    [
        ("85%", 150.0),
        ("0.85", 150.0),
        ("500b", 500.0),
        ("1kb", 1024.0),
        ("2gb", 2.0 * 1024**3),
        ("1TB", 1024.0**4),
        ("", 0.0),
        ("none", 0.0),
    ],
)
def test_free_bytes_that_a_watermark_wants(mark: str, free: float) -> None:
    assert least_free(mark, 1_000) == pytest.approx(free)
