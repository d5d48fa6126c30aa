"""Optional parts of this package: the extras of `pyproject.toml`, and how to install one."""

import shlex
import sys
from importlib.util import find_spec

from edgar_search.errors import SettingsError

PACKAGE = "edgar-search"


def is_installed(package: str) -> bool:
    """Return True if a package is installed, without importing it."""
    return find_spec(package) is not None


def require_package(package: str, extra: str, purpose: str) -> None:
    """Raise SettingsError, with the command that installs it, if `package` is missing.

    `purpose` names the setting or part that needs it.
    """
    if not is_installed(package):
        raise SettingsError(
            f"{purpose} needs the package {package}, which is not installed here;"
            f" run `{install_command(extra)}`"
        )


def install_command(extra: str) -> str:
    """Return the command that installs an extra for this very Python."""
    return f"{shlex.quote(sys.executable)} -m pip install '{PACKAGE}[{extra}]'"
