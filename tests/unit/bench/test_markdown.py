"""Paragraphs are filled, what is made of lines stays."""

from bench.markdown import WIDTH, table, wrap


def test_paragraphs_are_filled_and_tables_stay() -> None:
    rows = table(["a", "b"], [["word " * 40, "1"]])
    text = wrap(f"# Title\n\n{'word ' * 40}\nend\n\n{rows}")
    title, first, second, _, *of_table = text.splitlines()[0], *text.splitlines()[2:]
    assert title == "# Title"
    assert first.startswith("word word") and len(first) <= WIDTH
    assert second.endswith("end")
    assert of_table == rows.splitlines()
