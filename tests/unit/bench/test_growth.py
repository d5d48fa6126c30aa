"""Growth: percentiles, exponents, the requests that grow, and the plot of kept results."""

from pathlib import Path

import msgspec
import pytest

from bench.day import CLOSES, OPENS, day_of
from bench.made.growth import Growth, Loaded, Many, cut, exponents_of, many_table, times_table
from bench.made.requests import requests_table

SMALL, LARGE = Loaded(10, 1_000_000, 2.0, 1.0), Loaded(100, 10_000_000)
GROWTH = Growth(
    {"one": SMALL, "ten": LARGE},
    {"look-ups": {"one": [1.0, 2.0, 4.0], "ten": [2.0, 20.0, 40.0]}},
    {"pages": {"one": Many(20.0, 80.0, 0), "ten": Many(10.0, 160.0, 3)}},
    2,
    0.5,
)


@pytest.mark.parametrize(("part", "expected"), [(0.5, 3.0), (0.95, 5.0), (0.2, 1.0)])
def test_a_cut_is_a_time_that_was_seen(part: float, expected: float) -> None:
    assert cut([5.0, 3.0, 1.0, 2.0, 4.0], part) == expected


def test_a_time_that_grows_as_its_corpus_has_the_exponent_one() -> None:
    assert exponents_of(GROWTH) == pytest.approx({"look-ups": 1.0})


def test_corpora_of_one_size_have_no_exponents() -> None:
    same = msgspec.structs.replace(GROWTH, corpora={"one": SMALL, "ten": SMALL})
    assert exponents_of(same) == {}
    assert times_table(same).endswith("| 10.00x |  |")


def test_times_have_three_percentiles_and_their_growth() -> None:
    row = "| look-ups | 2.0 / 4.0 / 4.0 | 20.0 / 40.0 / 40.0 | 10.00x | 1.00 |"
    assert times_table(GROWTH).endswith(row)


def test_many_clients_have_their_rate_and_what_was_refused() -> None:
    assert many_table(GROWTH).endswith("| pages | 20.0 / 80 / 0 | 10.0 / 160 / 3 |")


def test_requests_are_shown_by_their_time_on_the_mean_page() -> None:
    taken = {
        "one": {"facets.count": [2.0, 4.0], "tickers.read": [0.1]},
        "ten": {"facets.count": [4.0, 8.0]},
    }
    table = requests_table(taken, queries=2)
    assert table.endswith("| facets.count | 3.0 | 6.0 | 2.00x |")
    assert "tickers" not in table


def test_submissions_of_a_day_come_when_they_were_accepted() -> None:
    late = b"<SEC-HEADER>\n<ACCEPTANCE-DATETIME>20240131163000"
    early = b"<SEC-HEADER>\n<ACCEPTANCE-DATETIME>20010102060001"
    at_night = b"<SEC-HEADER>\n<ACCEPTANCE-DATETIME>20010102030001"
    day = day_of([late, b"no submission", early, at_night])
    assert [each for each in day if each.content != at_night] == [
        (1.0, early),
        (10.5 * 3600, late),
    ]
    assert all(0 <= each.second < CLOSES - OPENS for each in day)


def test_the_plot_is_the_same_each_time_and_has_the_kinds_as_text(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `bench` is not installed")
    from bench.made.growth_plot import draw

    results = msgspec.json.encode(GROWTH)
    for name in ("first.svg", "again.svg"):
        draw(results, tmp_path / name)
    first = (tmp_path / "first.svg").read_text()
    assert first == (tmp_path / "again.svg").read_text()
    assert "look-ups" in first
