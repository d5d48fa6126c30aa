"""Plans from settings."""

import logging

import pytest

from edgar_search.access import accounts as plans_module
from edgar_search.access.accounts import FREE, UNLIMITED, Plan, Plans
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings

FORM = (
    "expected NAME=CALLS A MONTH/CALLS A SECOND, or that and /SEARCHES AT ONCE, or that and"
    " /STREAMS, as in pro=50000/50/4; - means no limit"
)


def test_two_plans_are_built_in() -> None:
    plans = Plans.from_settings(Settings())
    assert plans.all() == [Plan("free", 1_000, 10, 2, 2), Plan("unlimited", None, None)]
    assert plans.default == FREE
    assert plans.changes == ()


def test_operators_plans_stand_beside_the_built_in_ones() -> None:
    plans = Plans.from_settings(Settings(plans="pro=50000/50, batch=-/5/4,odd=7/-/-"))
    assert plans.all() == [
        FREE,
        UNLIMITED,
        Plan("pro", 50_000, 50),
        Plan("batch", None, 5, 4),
        Plan("odd", 7, None),
    ]


def test_operators_plan_takes_the_place_of_a_built_in_one() -> None:
    plans = Plans.from_settings(Settings(plans="free=100/1"))
    assert plans.default == Plan("free", 100, 1)


def test_default_and_changes_are_settings() -> None:
    settings = Settings(plans="pro=5/5", default_plan="pro", plan_changes="free, pro")
    plans = Plans.from_settings(settings)
    assert plans.default == Plan("pro", 5, 5)
    assert plans.changes == ("free", "pro")


def test_account_on_a_plan_that_is_gone_has_the_default() -> None:
    assert Plans.from_settings(Settings()).named("gone") == FREE


def test_plan_that_is_gone_is_in_the_log_once_an_hour(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    monkeypatch.setattr(plans_module, "monotonic", lambda: seconds)
    caplog.set_level(logging.WARNING)
    plans = Plans.from_settings(Settings())
    for later in (0.0, 3_599.0, 1.0):
        seconds += later
        plans.named("gone")
        plans.named("free")
    text = (
        "accounts are on the plan gone, which EDGAR_SEARCH_PLANS does not define: they get the"
        " limits of free"
    )
    assert caplog.messages == [text, text]


@pytest.mark.parametrize(
    "text",
    [
        "pro",
        "pro=5",
        "pro=5/",
        "=5/5",
        "pro=0/5",
        "pro=5/x",
        "pro=5/5/",
        "pro=5/5/0",
        "pro=5/5/5/0",
        "pro=5/5/5/5/5",
        "pro=-1/5",
        "pro=5/٣",
        "pro=1e3/5",
        f"pro={9 * 10**15}/5",
        f"pro={'9' * 5_000}/5",
    ],
)
def test_plan_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Plans.from_settings(Settings(plans=text))
    assert str(caught.value) == f"EDGAR_SEARCH_PLANS: `{text}` is not a plan; {FORM}"


def test_plan_that_is_there_twice_is_refused() -> None:
    with pytest.raises(SettingsError) as caught:
        Plans.from_settings(Settings(plans="pro=5/5, pro=7/7"))
    assert str(caught.value) == "EDGAR_SEARCH_PLANS: pro is given twice"


@pytest.mark.parametrize("name", ["default_plan", "plan_changes"])
def test_unknown_plan_in_a_setting_is_refused(name: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Plans.from_settings(Settings(**{name: "gold"}))  # type: ignore[arg-type]
    assert str(caught.value) == (
        f"EDGAR_SEARCH_{name.upper()}: gold is not a plan; plans are free, unlimited"
    )
