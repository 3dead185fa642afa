"""The beginning and the end of a stream, in bounded memory."""

from __future__ import annotations


class OutputBytes:
    """Keeps at most `most` bytes: half from the beginning, and half from the end."""

    __slots__ = ("_head", "_head_size", "_tail", "_tail_size", "total")

    def __init__(self, most: int) -> None:
        self._tail_size = most // 2
        self._head_size = most - self._tail_size
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Add a chunk."""
        self.total += len(chunk)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        if len(chunk) >= self._tail_size:
            self._tail[:] = chunk[len(chunk) - self._tail_size :]
            return
        self._tail += chunk
        excess = len(self._tail) - self._tail_size
        if excess > 0:
            del self._tail[:excess]  # moves an offset, not the bytes

    @property
    def left_out(self) -> int:
        """How many bytes are not kept."""
        return self.total - len(self._head) - len(self._tail)

    def kept(self) -> bytes:
        """Return the bytes that are kept."""
        return bytes(self._head + self._tail)
