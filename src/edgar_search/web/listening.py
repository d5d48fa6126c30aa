"""A check that the service can listen at an address, before anything is started.

`make run` makes it before any package is installed, so it imports only the standard library.
"""

import errno
import os
import socket

from edgar_search.errors import SettingsError

# These are errors even if other addresses of the same name are free.
_TAKEN = {
    errno.EADDRINUSE: "another process listens there; end it or choose another --port",
    errno.EACCES: "this user may not listen there; choose a --port from 1024",
}
_NO_ADDRESS = "not an address of this machine; 0.0.0.0 means all of them"


def refuse_unbindable(host: str, port: int) -> None:
    """Raise SettingsError, with a remedy, if no server can listen at this host and port."""
    try:
        addresses = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError):
        raise SettingsError(f"--host {host}: {_NO_ADDRESS}") from None
    refused = [
        number for family, *_, address in addresses if (number := _try_address(family, address))
    ]
    taken = [number for number in refused if number in _TAKEN]
    if taken:
        raise SettingsError(f"--host {host} --port {port}: {_TAKEN[taken[0]]}")
    if len(refused) == len(addresses):
        reason = _NO_ADDRESS if refused[0] == errno.EADDRNOTAVAIL else os.strerror(refused[0])
        raise SettingsError(f"--host {host} --port {port}: {reason}")


def _try_address(family: socket.AddressFamily, address: tuple[object, ...]) -> int:
    """Return the error number of listening there, or 0 if that succeeds."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            # As a server does, which may follow another one whose connections still linger.
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                tried.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            tried.bind(address)
    except OSError as error:
        return error.errno or errno.EADDRNOTAVAIL
    return 0
