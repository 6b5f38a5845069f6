"""Applications as tools of other applications: the port, which the room of applications implements."""

from refdesk.tools.applications.port import (
    Answer,
    AnsweringApplication,
    AnsweringApplications,
    SourceOfAnswer,
)
from refdesk.tools.applications.source import ApplicationSource

__all__ = ["Answer", "AnsweringApplication", "AnsweringApplications", "ApplicationSource", "SourceOfAnswer"]
