"""Take out of shared libraries what a running program does not need: `python shrink.py FOLDER`.

Some wheels align the parts of their libraries to 2 MB, where 4 KB are a page of memory: three
quarters of such a file are zeros. `strip` writes a library anew, with the alignment that its header
names, so the header is changed first. A page of ARM may have 64 KB: there it stays.
"""

import struct
import subprocess
import sys
from pathlib import Path

X86_64, LOADED, PAGE = 62, 1, 4096


def align_to_pages(library: Path) -> None:
    """Write the size of a page as the alignment of each loaded part of a library for x86-64."""
    data = bytearray(library.read_bytes())
    if data[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", data, 18)[0] != X86_64:
        return
    (table,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for entry in range(table, table + size * count, size):
        (kind,) = struct.unpack_from("<I", data, entry)
        (alignment,) = struct.unpack_from("<Q", data, entry + 48)
        if kind == LOADED and alignment > PAGE:
            struct.pack_into("<Q", data, entry + 48, PAGE)
    library.write_bytes(data)


if __name__ == "__main__":
    libraries = [path for path in Path(sys.argv[1]).rglob("*.so*") if path.is_file()]
    for library in libraries:
        align_to_pages(library)
    subprocess.run(["strip", "--strip-unneeded", *libraries], check=True)
