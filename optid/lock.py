"""A lock on an open file that ends with its process, however the process ends."""

from __future__ import annotations

import errno
import sys
from typing import IO

_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


def taken(lock: IO[bytes]) -> bool:
    """Take the lock; False when another process has it. A file system that knows no locks gives it to everybody."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True
