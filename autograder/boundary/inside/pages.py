"""Memory in large pages, which a fork copies one entry each for: of pages of 4 kB it would be 512."""

import ctypes

_COLLAPSE = 25  # MADV_COLLAPSE, since Linux 6.1
_libc = ctypes.CDLL(None)
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def gather():
    """Have the kernel lay this process's own memory out in large pages, wherever it can.

    It takes about 2 ms for each MB, once. What can't be done is left: it costs time, and nothing else.
    """
    with open("/proc/self/maps") as maps:
        own = [line.split()[0] for line in maps if " rw-p " in line and "/" not in line]
    for span in own:
        first, end = (int(address, 16) for address in span.split("-"))
        _libc.madvise(first, end - first, _COLLAPSE)
