"""Films from words, and from words and a picture: a job at the vendor, in the dialects they have for it."""

from refdesk.gateway.wires.video.dialects import DIALECTS
from refdesk.gateway.wires.video.filmmaker import RemoteFilmmaker

__all__ = ["DIALECTS", "RemoteFilmmaker"]
