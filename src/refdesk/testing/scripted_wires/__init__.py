"""What scripted servers write, format by format: answers without any format go in, bytes come out.

`refdesk.testing.scripted_model` sends them; nothing here knows sockets.
"""

from refdesk.testing.scripted_wires.embedding import embedded, is_embedding
from refdesk.testing.scripted_wires.formats import FORMATS, Format, asked, format_of, wants_stream
from refdesk.testing.scripted_wires.turn import Call, Turn

__all__ = [
    "FORMATS",
    "Call",
    "Format",
    "Turn",
    "asked",
    "embedded",
    "format_of",
    "is_embedding",
    "wants_stream",
]
