"""Questions before and after a change."""

from pathlib import Path

from evaluation.before_after import before_and_after, keep, read


def test_questions_before_and_after_are_those_that_changed_the_best_first(tmp_path: Path) -> None:
    path = tmp_path / "before.json"
    keep(path, {"default": {"gone": 1.0, "same": 0.5, "worse": 0.75, "better": 0.0}, "left": {}})

    said = before_and_after(
        read(path), {"default": {"same": 0.502, "worse": 0.5, "better": 1.0}, "new": {"same": 1.0}}
    )

    assert said.splitlines() == [
        "default: 1 better, 1 worse, 1 as before",
        "                                  before  after change",
        "better                              0.00   1.00  +1.00",
        "worse                               0.75   0.50  -0.25",
        "mean                                0.42   0.67  +0.25",
    ]
