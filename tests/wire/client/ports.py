"""Ports for servers that must be told theirs."""

import socket


def reserved_port():
    """Return a port that the system gives to no one else.

    A connection of it that has just been closed keeps it in TIME_WAIT for a minute: whoever asks
    for any port gets another, and a server that names it, with SO_REUSEADDR as they do, gets it.
    """
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen(1)
        with socket.create_connection(listening.getsockname(), timeout=30) as peer:
            listening.accept()[0].close()  # this end closes first, so this end waits
            peer.recv(1)
        return listening.getsockname()[1]
