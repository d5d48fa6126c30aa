"""Items of real current reports: what the text says against what the header says."""

from pathlib import Path

from evaluation.eight_k import current_reports, from_header, from_text, judge, judged_reports


def test_items_in_the_text_are_those_of_the_header(corpus: Path) -> None:
    reports = [submission for _, submission in current_reports(corpus)]
    pairs = [(set(from_header(s)), set(from_text(s))) for s in reports if s.header.items]
    both = sum(len(header & text) for header, text in pairs)
    assert len(pairs) == 75
    assert both >= 0.98 * sum(len(header) for header, _ in pairs)
    # The five that only the text has are there: their filers told EDGAR less.
    assert both >= 0.96 * sum(len(text) for _, text in pairs)


def test_each_item_line_of_a_header_is_named(corpus: Path) -> None:
    for name, submission in current_reports(corpus):
        assert len(from_header(submission)) == len(submission.header.items), name


def test_items_and_exhibits_are_those_that_a_reader_found(corpus: Path) -> None:
    figures = judge(current_reports(corpus))
    assert len(judged_reports()) == 34
    text, exhibits = figures["items of the text"], figures["exhibits"]
    assert (text.judged, exhibits.judged) == (56, 58)
    assert text.right >= 0.99 * text.found
    assert text.right >= 0.98 * text.judged
    assert exhibits.right >= 0.98 * exhibits.found
    assert exhibits.right >= 0.98 * exhibits.judged
