"""Parameters as received to single values and lists."""

import re
from collections.abc import Callable
from datetime import date

import pytest
from msgspec import structs

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.errors import BadRequest

DAYS = (Parameter("from_date", "day", ""), Parameter("to_date", "day", ""))
CIK = Parameter("cik", "list", "", ("ciks",), type=types.CIK)
DECLARED = by_spelling(
    [
        CIK,
        Parameter("form_type", "list", "", ("form_types", "formType"), type=types.CAPITALS),
        *DAYS,
        Parameter("limit", "integer", "", least=1, most=100, default=20),
        Parameter("sic", "list", "", type=types.SIC),
        Parameter("ids", "list", "", ("document_ids",)),
    ]
)


def of(**raw: list[str]) -> Parameters:
    return Parameters(raw, DECLARED)


def offset(text: str) -> Parameters:
    return Parameters(
        {"offset": [text]}, by_spelling([Parameter("offset", "integer", "", least=0, default=0)])
    )


def refusal(action: Callable[[], object]) -> str:
    with pytest.raises(BadRequest) as caught:
        action()
    return str(caught.value)


def shown(text: str) -> str:
    """A wrong value as a refusal has it: cut, and between backticks unless it is a number."""
    cut = text if len(text) <= 40 else f"{text[:40]}..."
    return cut if re.fullmatch("-?[0-9]+", cut) else f"`{cut}`"


def test_unknown_parameter_is_named_and_the_known_ones_are_listed() -> None:
    assert refusal(lambda: of(limit=["5"], cikk=["1"])) == (
        "`cikk` is not a parameter; known are cik, ciks, form_type, form_types, formType,"
        " from_date, to_date, limit, sic, ids, document_ids"
    )


def test_unknown_parameter_is_refused_without_a_value_too() -> None:
    assert refusal(lambda: of(Cik=[""])).startswith("`Cik` is not a parameter; known are cik, ")


@pytest.mark.parametrize("spelling", ["form_type", "form_types", "formType"])
def test_every_spelling_is_the_same_parameter(spelling: str) -> None:
    assert of(**{spelling: ["10-K", "8-K"]}).values("form_type") == ("10-K", "8-K")


def test_two_spellings_with_the_same_values_are_one() -> None:
    assert of(ids=["1,2"], document_ids=["1", "2"]).values("ids") == ("1", "2")


def test_order_case_and_zeros_make_no_difference_between_spellings() -> None:
    forms = of(form_type=["10-k,8-K"], formType=["8-k", "10-K"])
    assert forms.values("form_type") == ("10-K", "8-K")
    ciks = of(cik=["320193"], ciks=["0000320193"])
    assert ciks.values("cik") == ("0000320193",)


def test_letters_that_are_no_ascii_stay_as_they_are() -> None:
    assert of(form_type=["ß"]).values("form_type") == ("ß",)


def test_two_spellings_with_different_values_are_refused() -> None:
    assert refusal(lambda: of(cik=["1"], ciks=["1,2"])) == (
        "`ciks` differs from `cik`, which is the same parameter"
    )


def test_third_spelling_is_compared_too() -> None:
    raw: Raw = {"form_type": ["10-K"], "form_types": ["10-K"], "formType": ["8-K"]}
    assert refusal(lambda: Parameters(raw, DECLARED)) == (
        "`formType` differs from `form_type`, which is the same parameter"
    )


def test_empty_spelling_conflicts_with_nothing() -> None:
    assert of(ids=[""], document_ids=["1"]).values("ids") == ("1",)


def test_list_is_comma_separated_and_repeated_trimmed_and_without_empty_items() -> None:
    assert of(ids=[" 1 ,,2", "", " 3,"]).values("ids") == ("1", "2", "3")


def test_item_given_twice_counts_once() -> None:
    assert of(ids=["1,2", "1"]).values("ids") == ("1", "2")


@pytest.mark.parametrize("values", [[], [""], [" ", ","], [",,"]])
def test_list_without_items_is_an_absent_one(values: list[str]) -> None:
    assert of(ids=values).values("ids") == ()


def test_single_value_given_twice_is_refused() -> None:
    parameters = of(limit=["5", "5"])
    assert (
        refusal(lambda: parameters.text("limit")) == "`limit` may be given only once, not 2 times"
    )


@pytest.mark.parametrize("values", [[], [""], ["  "], ["", ""]])
def test_empty_single_value_is_an_absent_one(values: list[str]) -> None:
    assert of(limit=values).text("limit") is None


def test_empty_value_beside_a_single_one_is_an_absent_one() -> None:
    assert of(limit=["", "5", " "]).text("limit") == "5"


def test_single_value_stays_as_received() -> None:
    assert of(limit=[" a,b "]).text("limit") == " a,b "


def test_absent_number_is_the_default() -> None:
    assert of().integer("limit") == 20


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("100", 100),
        (" 7 ", 7),
        ("007", 7),
        ("\x1e3", 3),
        ("3\x1f", 3),
        ("\u30004\x85", 4),
    ],
)
def test_whole_number_within_bounds(text: str, number: int) -> None:
    assert of(limit=[text]).integer("limit") == number


@pytest.mark.parametrize(
    "text",
    ["0", "101", "-1", "+5", "5.0", "5e1", "abc", "1_0", "\u0661", "9" * 20, "9" * 5000, "1,2"],
)
def test_other_number_is_refused_with_the_bounds(text: str) -> None:
    parameters = of(limit=[text])
    message = refusal(lambda: parameters.integer("limit"))
    whole = "" if re.fullmatch("-?[0-9]{1,1000}", text) else "a whole number "
    assert message == f"`limit` must be {whole}from 1 to 100, not {shown(text)}"


def test_number_without_an_upper_bound() -> None:
    assert offset("9" * 20).integer("offset") == 10**20 - 1


def test_number_below_a_lower_bound_is_refused() -> None:
    parameters = offset("-1")
    assert refusal(lambda: parameters.integer("offset")) == "`offset` must be at least 0, not -1"


def test_cik_gets_ten_digits() -> None:
    parameters = of(cik=["320193,0000320193,1"])
    assert parameters.values("cik") == ("0000320193", "0000000001")


@pytest.mark.parametrize("cik", ["12345678901", "-1", "1.0", "AAPL", "\u0661", "1 2"])
def test_what_is_no_cik_is_refused(cik: str) -> None:
    parameters = of(cik=["1", cik])
    assert refusal(lambda: parameters.values("cik")) == (
        f"`cik` must be a CIK of 1 to 10 digits, not {shown(cik)}"
    )


def test_cik_without_its_zeros_is_refused_where_they_are_asked_for() -> None:
    padded = by_spelling([structs.replace(CIK, type=types.PADDED_CIK)])
    parameters = Parameters({"cik": ["0000320193,320193"]}, padded)
    assert refusal(lambda: parameters.values("cik")) == (
        "`cik` must be a CIK of 10 digits, padded with zeros, not 320193"
    )


def test_sic_gets_four_digits() -> None:
    assert of(sic=["3571,100", "0100"]).values("sic") == ("3571", "0100")


@pytest.mark.parametrize("sic", ["35710", "35a", "-1", "\u0663"])
def test_what_is_no_sic_code_is_refused(sic: str) -> None:
    parameters = of(sic=[sic])
    message = refusal(lambda: parameters.values("sic"))
    assert message == f"`sic` must be a SIC code of up to 4 digits, not {shown(sic)}"


def test_form_types_match_without_regard_to_case_and_blanks() -> None:
    parameters = of(form_type=["10-k,sc  13d/a", "10-K"])
    assert parameters.values("form_type") == ("10-K", "SC 13D/A")


def test_absent_dates_are_none() -> None:
    assert of(from_date=[""]).days() == (None, None)


def test_both_dates() -> None:
    parameters = of(from_date=[" 2024-02-29 "], to_date=["2024-03-01"])
    assert parameters.days() == (date(2024, 2, 29), date(2024, 3, 1))


def test_range_of_one_day() -> None:
    day = date(2024, 3, 1)
    assert of(from_date=["2024-03-01"], to_date=["2024-03-01"]).days() == (day, day)


def test_range_the_wrong_way_round_is_refused() -> None:
    parameters = of(from_date=["2024-03-02"], to_date=["2024-03-01"])
    assert refusal(lambda: parameters.days()) == (
        "`from_date` is 2024-03-02, which is later than `to_date`, 2024-03-01"
    )


def test_blank_values_of_a_query_string_equal_absent_ones_beside_a_body_too() -> None:
    given = RequestFields({"limit": ["", " "]}, {"ids": ["1"]})
    parameters = Parameters.of_request(given, DECLARED)
    assert (parameters.integer("limit"), parameters.values("ids")) == (20, ("1",))


def test_refusal_names_the_object_that_has_the_field() -> None:
    declared = Parameter("within", "object", "", fields=(CIK,))
    given = RequestFields({}, {"within": {"cik": ["x"]}})
    fields = Parameters.of_request(given, by_spelling([declared])).fields("within")
    assert fields is not None
    assert refusal(lambda: fields.values("cik")).startswith("`within.cik` must be ")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (types.CIK, "320193", "0000320193"),
        (types.PADDED_CIK, "320193", None),
        (types.SIC, "100", "0100"),
        (types.STATE, "NY", "NY"),
        (types.STATE, "NYC", None),
        (types.ITEM, "ITEM 5.02", "5.02"),
        (types.ITEM, "5.02.", None),
        (types.HEADED_ITEM, "5.02.", "5.02"),
        (types.EIN, "94-2404110", "942404110"),
        (types.EIN, "94-24041100", None),
        (types.DOCUMENT_ID, "0000320193-24-000001-1", "0000320193-24-000001-1"),
        (types.DOCUMENT_ID, "0000320193-24-000001", None),
        (types.ACCESSION_NUMBER, "000032019324000001", "0000320193-24-000001"),
        (types.SHA256, "A" * 64, "a" * 64),
        (types.SHA256, "a" * 63, None),
    ],
)
def test_type_reads_its_values_and_no_others(
    kind: types.ValueType, text: str, value: str | None
) -> None:
    assert kind.read(text) == value
