"""EDGAR's form types, and the ways in which people write them."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

# One form by two names: EDGAR renamed these schedules in December 2024.
_SAME: Mapping[str, tuple[str, ...]] = {
    form: ("SC 13" + form[-1], "SCHEDULE 13" + form[-1])
    for form in ("SC 13D", "SC 13G", "SCHEDULE 13D", "SCHEDULE 13G")
}
# Reports of one kind, by the names that people give the kind.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "annual report": ("10-K", "10-K405", "10-KSB", "10-KSB40", "10-KT", "20-F", "40-F"),
    "quarterly report": ("10-Q", "10-QSB", "10-QT"),
    "current report": ("8-K",),
}
# What people call forms that EDGAR gives longer names.
_SHORT: Mapping[str, str] = {"13D": "SC 13D", "13G": "SC 13G", "13F": "13F-HR"}
_AMENDED = "/A"
_SIGNS = re.compile(r"[\s/.()-]+")
# Names that are words or numbers of their own, unless "form" or capitals say otherwise.
_ORDINARY = re.compile(r"[A-Z ]+|[0-9]+")


@cache
def form_types() -> frozenset[str]:
    """Return all form types but amendments."""
    text = files(__package__).joinpath("form_types.txt").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(form for line in lines for form in line.split(", "))


@cache
def form_categories() -> Mapping[str, tuple[str, ...]]:
    """Return the form types of the categories that EDGAR's search page has, by their names there.

    A category that leaves forms out has these with a minus in front.
    """
    text = files(__package__).joinpath("form_categories.txt").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = " ".join(line.strip() for line in lines)
    entries = re.split(r"(?:^| )(form-cat\d+): ", joined)[1:]
    return {
        name: tuple(forms.split(", "))
        for name, forms in zip(entries[::2], entries[1::2], strict=True)
    }


@cache
def _by_key() -> Mapping[str, str]:
    return {_key(form): form for form in sorted(form_types())}


def _key(text: str) -> str:
    """Return a form type without its signs: `10K` of `10-K`, `SC13G` of `SC 13G`."""
    return _SIGNS.sub("", text.upper())


def form_named(text: str) -> str | None:
    """Return the form type that a text is: `10-K/A` of "10k/a", `4` of "form 4".

    None for another text.
    """
    name = re.sub(r"^\s*forms?\s+", "", text, flags=re.IGNORECASE).strip()
    amended = name.upper().endswith(_AMENDED)
    name = name[: -len(_AMENDED)] if amended else name
    name = _SHORT.get(name.upper(), name)
    if name.upper() in form_types():
        return name.upper() + (_AMENDED if amended else "")
    form = _by_key().get(_key(name)) or _by_key().get(_key(re.sub("(?i)s$", "", name)))
    return form and (form + _AMENDED if amended else form)


def same_forms(form: str) -> tuple[str, ...]:
    """Return the form types that are one form: `SC 13D` and `SCHEDULE 13D`."""
    root = form.removesuffix(_AMENDED)
    return tuple(each + form[len(root) :] for each in _SAME.get(root, (root,)))


def forms_named(texts: Sequence[str]) -> list[str]:
    """Return the form types that texts are, as EDGAR writes them; other texts as they are."""
    found = [form for text in texts for form in same_forms(form_named(text) or text)]
    return list(dict.fromkeys(found))


def is_ordinary(form: str) -> bool:
    """True for a form type whose name is a word or a number, such as EFFECT and 4."""
    return _ORDINARY.fullmatch(form) is not None
