"""Programs run where they can reach nothing: no network, no file of this machine, every resource bounded.

Owns how code that this product did not write is run: Python tools, scripts of skills, commands in a working
folder. Refuses to run anything where isolation is missing; there is no way without it. Knows no tools.

    sandbox = Sandbox()
    result = await sandbox.run(["python3", "-c", "print(1 + 1)"])
    result = await sandbox.run(["sh", "-c", "wc -l *.csv"], workdir=folder, with_shell=True)
"""

from refdesk.tools.sandbox.errors import SandboxUnavailable
from refdesk.tools.sandbox.folders import FolderEntry, PathRefused, WorkFolder
from refdesk.tools.sandbox.isolation import Isolation, isolation
from refdesk.tools.sandbox.limits import SandboxLimits
from refdesk.tools.sandbox.running import Sandbox, SandboxResult

__all__ = [
    "FolderEntry",
    "Isolation",
    "PathRefused",
    "Sandbox",
    "SandboxLimits",
    "SandboxResult",
    "SandboxUnavailable",
    "WorkFolder",
    "isolation",
]
