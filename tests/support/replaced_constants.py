"""`edgar-search` as a process of its own in which constants have other values."""

from collections.abc import Mapping


def program(constants: Mapping[str, float]) -> tuple[str, str]:
    """Return the arguments of Python for `edgar-search` with these values of constants.

    They are named from `edgar_search` on, such as `alerts.matcher.INTERVAL`.
    """
    lines = ["import sys", "from importlib import import_module"]
    for name, value in constants.items():
        module, _, constant = name.rpartition(".")
        where = f"import_module('edgar_search.{module}')"
        # A constant that does not exist would leave the default as it is.
        lines.append(f"assert hasattr({where}, {constant!r})")
        lines.append(f"setattr({where}, {constant!r}, {value!r})")
    lines += ["from edgar_search.cli import main", "raise SystemExit(main(sys.argv[1:]))"]
    return "-c", "\n".join(lines)
