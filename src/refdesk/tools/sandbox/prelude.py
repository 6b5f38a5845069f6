"""The first lines of every process in the sandbox: give up the user that mounted, take the limits, go on.

It is text, since it runs within the sandbox where this package is not. `argv[1]` is a JSON object:
`{"user": id or null, "folder": path, "limits": {name: number}, "nice": number}`.
"""

from refdesk.tools.sandbox.limits import SandboxLimits

PRELUDE = """\
import json as _json, os as _os, resource as _resource, sys as _sys
_given = _json.loads(_sys.argv.pop(1))
if _given["user"] is not None:
    _os.setresgid(*[_given["user"]] * 3)
    _os.setresuid(*[_given["user"]] * 3)
_os.nice(_given["nice"])
_os.umask(0o022)
_os.chdir(_given["folder"])  # only now: it may be open to this user alone
for _name, _value in _given["limits"].items():
    _resource.setrlimit(getattr(_resource, "RLIMIT_" + _name), (_value, _value))
"""

EXECUTE = """\
try:
    _os.execvp(_sys.argv[1], _sys.argv[1:])
except OSError as _error:
    _sys.stderr.write(f"{_sys.argv[1]}: {_error.strerror}\\n")
    _os._exit(127)
"""


def process_limits(limits: SandboxLimits) -> dict[str, int]:
    """Limits that the kernel holds for each process, by the name of the resource."""
    return {
        "CORE": 0,
        "CPU": limits.cpu_s,
        "AS": limits.memory_bytes,
        "FSIZE": limits.file_bytes,
        "NOFILE": 256,
        # Counted over all runs of this user at once: a bound for the machine; `watching` bounds the run.
        "NPROC": max(256, limits.processes * 4),
    }
