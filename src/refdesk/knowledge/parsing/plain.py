"""Plain text in any encoding: paragraphs by blank lines. Asked last, because it takes any text."""

import re

from refdesk.kit.wording import counted
from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.encoding import Decoded, decode
from refdesk.knowledge.parsing.errors import EmptyFile, UnsupportedKind

_PROLOG = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']""")
_ANYTHING = re.compile(r"[^\x0c \t\r\n]")
_BLANK = re.compile(r"\n[ \t\u3000\f]*(?:\n[ \t\u3000\f]*)+")


class PlainText:
    """Any text that no other parser claims."""

    kind = "text"
    suffixes = (".txt", ".text", ".log", ".xml")

    def supports(self, name: str, head: bytes) -> bool:
        """Everything that is text."""
        return not looks_binary(head)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Paragraphs end at blank lines; lines inside a paragraph stay as they are."""
        prolog = _PROLOG.match(data[:1024])
        found = BlockList()
        decoded = read_text(data, found, prolog[1].decode("ascii") if prolog else None)
        text = decoded.text.replace("\x0c", "\n\n")
        for paragraph in _BLANK.split(text):
            found.add("paragraph", paragraph)
        return finish(name, self.kind, found, {"encoding": decoded.encoding}, text)


def read_text(data: bytes, found: BlockList, declared: str | None = None) -> Decoded:
    """Decode a text file and report what was damaged. Raises `EmptyFile` and `UnsupportedKind`."""
    decoded = decode(data, declared)
    report_damage(decoded, found)
    if not _ANYTHING.search(decoded.text):
        raise EmptyFile("The file holds no text.")
    return decoded


def report_damage(decoded: Decoded, found: BlockList) -> None:
    """Turn what decoding could not keep into warnings; a text that is mostly damage is refused."""
    if decoded.nul:
        found.warn(
            "nul-characters",
            f"{counted(decoded.nul, 'NUL character was', 'NUL characters were')} removed.",
            count=decoded.nul,
        )
    if decoded.replaced:
        found.warn(
            "invalid-characters",
            counted(
                decoded.replaced,
                f"byte is not valid {decoded.encoding} and was replaced.",
                f"bytes are not valid {decoded.encoding} and were replaced.",
            ),
            count=decoded.replaced,
        )
        if decoded.replaced > 0.3 * max(1, len(decoded.text)):
            raise UnsupportedKind("The file is not text in any known encoding.")
    elif not decoded.certain:
        found.warn(
            "encoding-guessed",
            f"The encoding was guessed to be {decoded.encoding}.",
            encoding=decoded.encoding,
        )
