"""RTF: its tokens and encodings (`tokens`), and the machine that turns them into blocks (`parser`)."""

from refdesk.knowledge.parsing.rtf.parser import Rtf

__all__ = ["Rtf"]
