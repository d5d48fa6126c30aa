"""What pages ask for where an address does not say; pure.

Who types a few words means their forms too, and would rather read a document that lacks one of
them than none.
"""

from collections.abc import Mapping

from edgar_search.web.pages.links import Lists

DEFAULTS: Mapping[str, str] = {"word_forms": "all", "operands": "most"}


def as_asked(lists: Lists) -> Lists:
    """The parameters of an address with those that it leaves to the page."""
    said = {name for name, values in lists.items() if any(value.strip() for value in values)}
    return {**lists, **{name: [DEFAULTS[name]] for name in DEFAULTS if name not in said}}
