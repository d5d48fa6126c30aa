"""Markup in which every bracket is a tag's: the condition of all ways to read it without a tree."""

_NO_BRACKETS = bytes(set(range(256)) - set(b"<>"))


class NotOrdinaryError(Exception):
    """The markup has something that is not safe to read without a tree."""


def are_of_tags(markup: bytes) -> bool:
    """Whether the brackets of `markup` open and close in turn, none inside of another pair.

    Else one stands in an attribute, in the text, in a comment or in a script.
    """
    brackets = markup.translate(None, _NO_BRACKETS)
    return brackets == b"<>" * (len(brackets) // 2)


def texts_and_tags(markup: bytes, table: bytes) -> list[bytes]:
    """Return texts and tags in turn, after a translation that makes of both brackets a "<".

    So one split finds them. Raises NotOrdinaryError where a bracket may be no tag's.
    """
    if not are_of_tags(markup):
        raise NotOrdinaryError
    return markup.translate(table).split(b"<")
