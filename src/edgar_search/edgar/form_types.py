"""EDGAR's form types, and how people write them."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

# Two names of the same form: EDGAR renamed these schedules in December 2024.
_SAME: Mapping[str, tuple[str, ...]] = {
    form: ("SC 13" + form[-1], "SCHEDULE 13" + form[-1])
    for form in ("SC 13D", "SC 13G", "SCHEDULE 13D", "SCHEDULE 13G")
}
# Kinds of reports, by the names that people give them.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "annual report": ("10-K", "10-K405", "10-KSB", "10-KSB40", "10-KT", "20-F", "40-F"),
    "quarterly report": ("10-Q", "10-QSB", "10-QT"),
    "current report": ("8-K",),
}
# Short names for forms with longer names at EDGAR.
_SHORT: Mapping[str, str] = {"13D": "SC 13D", "13G": "SC 13G", "13F": "13F-HR"}
_AMENDED = "/A"
_SIGNS = re.compile(r"[\s/.()-]+")
# Names that may also be ordinary words or numbers, unless "form" or capitals decide.
_ORDINARY = re.compile(r"[A-Z ]+|[0-9]+")


@cache
def form_types() -> frozenset[str]:
    """Return all form types except amendments."""
    text = files(__package__).joinpath("form_types.txt").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(form for line in lines for form in line.split(", "))


@cache
def form_categories() -> Mapping[str, tuple[str, ...]]:
    """Return the form types in each category of EDGAR's search page, by its name there.

    For a category that excludes forms, these have a minus in front.
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
def _types_by_key() -> Mapping[str, str]:
    return {_key(form): form for form in sorted(form_types())}


def _key(text: str) -> str:
    """Return a form type without punctuation: `10K` for `10-K`, `SC13G` for `SC 13G`."""
    return _SIGNS.sub("", text.upper())


def form_named(text: str) -> str | None:
    """Return the form type that a text names: `10-K/A` for "10k/a", `4` for "form 4".

    None for any other text.
    """
    name = re.sub(r"^\s*forms?\s+", "", text, flags=re.IGNORECASE).strip()
    amended = name.upper().endswith(_AMENDED)
    name = name[: -len(_AMENDED)] if amended else name
    name = _SHORT.get(name.upper(), name)
    if name.upper() in form_types():
        return name.upper() + (_AMENDED if amended else "")
    form = _types_by_key().get(_key(name)) or _types_by_key().get(_key(re.sub("(?i)s$", "", name)))
    return form and (form + _AMENDED if amended else form)


def same_forms(form: str) -> tuple[str, ...]:
    """Return all names of a form: `SC 13D` and `SCHEDULE 13D`."""
    root = form.removesuffix(_AMENDED)
    return tuple(name + form[len(root) :] for name in _SAME.get(root, (root,)))


def forms_named(texts: Sequence[str]) -> list[str]:
    """Return the form types that texts name, as EDGAR writes them; other texts unchanged."""
    forms = [form for text in texts for form in same_forms(form_named(text) or text)]
    return list(dict.fromkeys(forms))


def is_ordinary(form: str) -> bool:
    """Return True if a form type's name is also a word or a number, such as EFFECT and 4."""
    return _ORDINARY.fullmatch(form) is not None
