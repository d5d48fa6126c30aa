"""The SEC's address of a document."""

from edgar_search.edgar.identifiers import document_address

NUMBER = "0009990001-21-000042"
ARCHIVES = "https://www.sec.gov/Archives/edgar/data"


def test_document_stands_in_the_folder_of_its_filing() -> None:
    assert document_address(NUMBER, "0009990009", "report 1.htm") == (
        f"{ARCHIVES}/9990009/000999000121000042/report%201.htm"
    )


def test_document_without_a_name_stands_in_the_submission() -> None:
    assert document_address(NUMBER, "0009990009", "") == f"{ARCHIVES}/9990009/{NUMBER}.txt"


def test_filing_without_entities_stands_with_who_filed_it() -> None:
    assert document_address(NUMBER, None, "") == f"{ARCHIVES}/9990001/{NUMBER}.txt"
