"""System calls that programs in the sandbox cannot make, as a filter of the kernel (seccomp, classic BPF).

Namespaces hide the machine; this closes what they do not cover: sockets of virtual machines (`AF_VSOCK`),
which belong to no network namespace, and calls that ordinary programs never make.
"""

import os
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_CALL, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X32 = 0x40000000
# Local, IPv4 and IPv6 sockets; the network namespace holds the latter two.
_FAMILIES = (1, 2, 10)
# io_uring, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr: one number everywhere.
_EVERYWHERE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442)


@dataclass(frozen=True, slots=True)
class _Machine:
    """Numbers of one architecture (Linux, `asm/unistd.h`). `denied`: ptrace, add_key, request_key, keyctl,
    bpf, perf_event_open, userfaultfd, mount, umount2, pivot_root, unshare, setns, kexec_load,
    kexec_file_load, init_module, finit_module, delete_module, name_to_handle_at, open_by_handle_at,
    process_vm_readv, process_vm_writev, acct, swapon, quotactl, syslog."""

    architecture: int
    socket: int
    denied: tuple[int, ...]


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        41,
        (
            *(101, 248, 249, 250, 321, 298, 323, 165, 166, 155, 272, 308, 246),
            *(320, 175, 313, 176, 303, 304, 310, 311, 163, 167, 179, 103),
        ),
    ),
    "aarch64": _Machine(
        0xC00000B7,
        198,
        (
            *(117, 217, 218, 219, 280, 241, 282, 40, 39, 41, 97, 268, 104),
            *(294, 105, 273, 106, 264, 265, 270, 271, 89, 224, 60, 116),
        ),
    ),
}


@cache
def program() -> bytes | None:
    """The filter for this machine; None for an architecture whose numbers are not known."""
    machine = _MACHINES.get(platform.machine())
    return b"".join(_instructions(machine)) if machine is not None else None


def descriptor() -> int | None:
    """A descriptor that the filter can be read from once; None where there is none. The caller closes it."""
    filters = program()
    if filters is None:
        return None
    file = os.memfd_create("refdesk-filter", os.MFD_CLOEXEC)
    os.write(file, filters)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _instructions(machine: _Machine) -> Iterator[bytes]:
    yield _step(_LOAD, _ARCHITECTURE)
    yield _step(_EQUAL, machine.architecture, 1, 0)
    yield _step(_RETURN, _KILL)
    yield _step(_LOAD, _CALL)
    yield _step(_AT_LEAST, _X32, 0, 1)  # the third set of numbers of x86; none elsewhere
    yield _step(_RETURN, _ERROR | _ENOSYS)
    for call in (*machine.denied, *_EVERYWHERE):
        yield _step(_EQUAL, call, 0, 1)
        yield _step(_RETURN, _ERROR | _EPERM)
    yield _step(_EQUAL, machine.socket, 1, 0)
    yield _step(_RETURN, _ALLOW)
    yield _step(_LOAD, _FIRST_ARGUMENT)
    for family in _FAMILIES:
        yield _step(_EQUAL, family, 0, 1)
        yield _step(_RETURN, _ALLOW)
    yield _step(_RETURN, _ERROR | _EAFNOSUPPORT)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
