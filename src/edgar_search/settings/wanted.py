"""What the values of a setting may be, in words, from its type."""

from msgspec import Struct, inspect


def wanted(struct: type[Struct], name: str) -> str:
    """What is right for the field `name`, such as `a whole number from 0 to 9999`.

    A text with a pattern has to say its form in its `description`.
    """
    (field,) = (each for each in inspect.type_info(struct).fields if each.name == name)  # type: ignore[attr-defined]
    return _words(field.type)


def _words(kind: inspect.Type) -> str:
    if isinstance(kind, inspect.UnionType):
        return next(_words(each) for each in kind.types if not isinstance(each, inspect.NoneType))
    if isinstance(kind, inspect.Metadata):
        return str((kind.extra_json_schema or {})["description"])
    if isinstance(kind, inspect.BoolType):
        return "true or false"
    if isinstance(kind, inspect.LiteralType):
        return "one of " + ", ".join(map(str, kind.values))
    if isinstance(kind, inspect.IntType):
        return "a whole number" + _bounds(kind)
    if isinstance(kind, inspect.FloatType):
        return "a number" + _bounds(kind)
    raise TypeError(f"no words for {kind}")


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    low = "" if kind.ge is None else f" from {kind.ge:g}"
    if kind.gt is not None:
        low = f" above {kind.gt:g}"
    if kind.le is None:
        return low + (" on" if kind.ge is not None else "")
    return f"{low} to {kind.le:g}" if kind.gt is None else f"{low}, {kind.le:g} at most"
