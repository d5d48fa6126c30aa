from bench.engine_threads import between, by_work

DUMP = """\
14198:
2026-01-02 03:04:05
Full thread dump OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed mode):

"C2 CompilerThread0" #17 [14402] daemon prio=9 os_prio=0 cpu=23841.24ms elapsed=274.87s tid=0x1 \
nid=14402 waiting on condition
"C1 CompilerThread0" #18 [14403] daemon prio=9 os_prio=0 cpu=5116.40ms elapsed=274.84s tid=0x2 \
nid=14403 waiting on condition
   java.lang.Thread.State: RUNNABLE
	at java.lang.ref.Reference.waitForReferencePendingList(java.base@25.0.3/Native Method)
"elasticsearch[vm][write][T#1]" #56 [17577] daemon prio=5 os_prio=0 cpu=7457.86ms elapsed=166.27s
"elasticsearch[vm][write][T#2]" #57 [17619] daemon prio=5 os_prio=0 cpu=6656.85ms elapsed=164.57s
"elasticsearch[vm][write_coordination][T#1]" #55 [17566] daemon prio=5 cpu=244.49ms elapsed=166.50s
"GC Thread#1" os_prio=0 cpu=1479.79ms elapsed=281.51s tid=0x00007fc67c0785e0 nid=14206 runnable
"""


def test_threads_are_counted_by_their_work() -> None:
    taken = {work: round(seconds, 2) for work, seconds in by_work(DUMP).items()}

    assert taken == {
        "compiling": 28.96,
        "writes": 14.11,
        "other threads": 0.24,
        "garbage collection": 1.48,
    }


def test_what_no_thread_has_any_more_is_of_those_that_ended() -> None:
    before = {"writes": 1.0, "merges": 2.0}
    after = {"writes": 4.0, "merges": 2.0, "compiling": 5.0}

    assert between(before, after, taken=9.0) == [
        ("compiling", 5.0),
        ("writes", 3.0),
        ("threads that ended", 1.0),
    ]
