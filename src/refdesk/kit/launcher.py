"""Becomes another program that cannot outlive its parent; run as a script (imported for its exit codes).

`python -I -S launcher.py PARENT_PID SIGNAL UID GID PROGRAM ARGUMENT…` drops to an unprivileged user (unless
UID is -1), asks the kernel to send SIGNAL when the parent dies, and replaces itself by PROGRAM. A process of
its own rather than a `preexec_fn`: Python code between fork and exec can deadlock in a process with threads.
The signal is asked for after the user id changes, because that change clears it. Standard library only; costs
about 15 ms.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
USER_CHANGE_FORBIDDEN = 97
PARENT_IS_GONE = 98


def main(parent: int, death_signal: int, uid: int, gid: int, command: list[str]) -> int:
    libc = ctypes.CDLL(None)  # before the change: afterwards its file may be out of reach
    if uid != -1:
        try:
            os.setgroups([])
            os.setgid(gid)
            os.setuid(uid)
        except PermissionError:
            return USER_CHANGE_FORBIDDEN
    if sys.platform == "linux":
        libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
        if os.getppid() != parent:  # it died before the signal was armed
            return PARENT_IS_GONE
    os.execv(command[0], command)  # does not return
    return 1


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:5]), command=sys.argv[5:]))
