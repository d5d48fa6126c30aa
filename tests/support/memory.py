"""The memory of a command and its worker processes, looked at often."""

import threading

import psutil


class FamilyMemory(threading.Thread):
    """The highest sums, in bytes, until the process ends.

    `rss` is all that a process shows, pages of files too, of which some are counted for several
    processes; `pss` counts each page once; `uss` leaves out what is shared.
    """

    def __init__(self, pid: int) -> None:
        super().__init__()
        self._process = psutil.Process(pid)
        self.rss = self.pss = self.uss = 0

    def run(self) -> None:
        ended = threading.Event()
        while not ended.wait(0.02):
            try:
                family = [self._process, *self._process.children(recursive=True)]
                rss, pss, uss = (sum(each) for each in zip(*map(_memory, family), strict=True))
            except psutil.NoSuchProcess:
                if not self._process.is_running():
                    return
                continue  # A worker has just ended.
            if not rss:
                return
            self.rss, self.pss = max(self.rss, rss), max(self.pss, pss)
            self.uss = max(self.uss, uss)


def _memory(process: psutil.Process) -> tuple[int, int, int]:
    found = process.memory_full_info()
    return found.rss, found.pss, found.uss
