"""Where the server can be reached."""

import socket

from coref_tf.support.errors import CorefError


def bind(host: str, port: int) -> socket.socket:
    """A socket at an address, which nobody can reach before it listens; a CorefError says why that can't be."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise CorefError(
            f"can't listen at {host}, port {port}: {error.strerror}; pass another --port or --host"
        ) from None
    return listener


def address(listener: socket.socket) -> str:
    """The address that a client uses, port and all."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
