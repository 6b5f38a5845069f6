"""How much one run may use."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of one run, all its processes together but for `file_bytes`.

    `timeout_s` by the clock, `cpu_s` a process; `output_bytes` of standard output and as much of standard
    error; `file_bytes` the largest file, `folder_bytes` a working folder, `tmp_bytes` what lies in `/tmp`
    (memory).
    """

    timeout_s: float = 30.0
    cpu_s: int = 30
    memory_bytes: int = 512 * 1024**2
    output_bytes: int = 256 * 1024
    processes: int = 32
    file_bytes: int = 32 * 1024**2
    folder_bytes: int = 128 * 1024**2
    tmp_bytes: int = 32 * 1024**2
