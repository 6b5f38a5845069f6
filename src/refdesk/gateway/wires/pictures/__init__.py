"""Pictures from words, in the dialects that vendors have for it."""

from refdesk.gateway.wires.pictures.dialects import DIALECTS
from refdesk.gateway.wires.pictures.painter import RemotePainter

__all__ = ["DIALECTS", "RemotePainter"]
