"""Parsing: the bytes of a file → blocks that know their kind, level, page and box.

One module a kind behind one port (`Parser`); files from outside go through `parse_limited` or
`parse_in_subprocess`. Knows neither the database nor the rest of the room: the parsing process loads this
package alone. Must not decide how blocks become paragraphs; that is `splitting`.
"""

from refdesk.knowledge.parsing.blocks import Block, BlockKind, Box, Parsed, ParseOptions, Parser, ParseWarning
from refdesk.knowledge.parsing.errors import (
    CorruptFile,
    EmptyFile,
    NoText,
    ParseCancelled,
    ParseCrashed,
    ParseError,
    ParseMemory,
    ParseTimeout,
    PasswordRequired,
    PasswordWrong,
    PictureTooLarge,
    ProtectionUnsupported,
    TooManyPages,
    UnpackedTooLarge,
    UnsupportedKind,
)
from refdesk.knowledge.parsing.limited import parse_in_subprocess, parse_limited
from refdesk.knowledge.parsing.progress import OnProgress
from refdesk.knowledge.parsing.selection import choose, parse, parsers

__all__ = [
    "Block",
    "BlockKind",
    "Box",
    "CorruptFile",
    "EmptyFile",
    "NoText",
    "OnProgress",
    "ParseCancelled",
    "ParseCrashed",
    "ParseError",
    "ParseMemory",
    "ParseOptions",
    "ParseTimeout",
    "ParseWarning",
    "Parsed",
    "Parser",
    "PasswordRequired",
    "PasswordWrong",
    "PictureTooLarge",
    "ProtectionUnsupported",
    "TooManyPages",
    "UnpackedTooLarge",
    "UnsupportedKind",
    "choose",
    "parse",
    "parse_in_subprocess",
    "parse_limited",
    "parsers",
]
