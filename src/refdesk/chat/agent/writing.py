"""From the model's stream to the answer: citations resolved as they come, text taken back where it led to a
call instead.

What a model says before it calls a tool is not its answer. It is shown as it comes and taken back at the
call; where the reader cannot take text back, it is held until the message is whole.
"""

from dataclasses import dataclass, field

from refdesk.chat.agent.sources import Numbered, SourceBook, ToolAnswer
from refdesk.chat.citations import CitationStream, Cited, Removed, Text
from refdesk.chat.language import Language
from refdesk.chat.recorder import RunRecorder
from refdesk.chat.stages.retrieve.found import tool_citation

_REMOVED: dict[Language, str] = {
    "zh": "回答引用了检索结果中没有的编号 {number}，该引用已删除。",
    "en": "The answer cited number {number}, which no search gave; the citation was removed.",
}


@dataclass(slots=True)
class AnswerWriter:
    """Writes one message of the model at a time. `raw` is that message as the model wrote it."""

    recorder: RunRecorder
    book: SourceBook
    language: Language
    may_take_back: bool = True
    raw: str = ""
    _holds: bool = False
    _stream: CitationStream | None = field(default=None)
    _written: bool = False

    def begin(self, *, may_call: bool) -> None:
        """A message of the model begins; it `may_call` tools instead of answering."""
        self.raw = ""
        self._holds = may_call and not self.may_take_back
        self._stream = CitationStream(len(self.book))
        self._written = False

    def feed(self, text: str) -> None:
        self.raw += text
        if not self._holds:
            self._write(text)

    def restart(self) -> None:
        """The gateway began the message anew; the recorder has taken its text back."""
        self.begin(may_call=self._holds)

    def finish(self) -> None:
        """The message is the answer."""
        if self._holds:
            self._write(self.raw)
        if self._stream is not None:
            for part in self._stream.finish():
                self._put(part)
        self._stream = None

    def take_back(self) -> None:
        """The message led to calls: it is no answer."""
        if self._written:
            self.recorder.restart()
        self._stream = None

    def _write(self, text: str) -> None:
        assert self._stream is not None
        for part in self._stream.feed(text):
            self._put(part)

    def _put(self, part: Text | Cited | Removed) -> None:
        match part:
            case Text(text):
                self._written = self._written or bool(text)
                self.recorder.delta(text)
            case Cited(source, n):
                numbered = self.book.get(source)
                if numbered is not None:
                    self.recorder.citation(citation_of(numbered, n, source))
            case Removed(number):
                self.recorder.warning(
                    "citation-removed", _REMOVED[self.language].format(number=number), each=True
                )


def citation_of(numbered: Numbered, n: int, source: int) -> dict[str, object]:
    """A citation as events and records hold it; `source` is the number the model knows."""
    if isinstance(numbered, ToolAnswer):
        return tool_citation(numbered.tool, numbered.title, numbered.text, n, source=source)
    return {
        "n": n,
        "paragraph_id": str(numbered.paragraph_id),
        "document_id": str(numbered.document_id),
        "knowledge_base_id": str(numbered.knowledge_base_id),
        "document": numbered.document,
        "page": numbered.page,
        "section": numbered.section,
        "text": numbered.text,
        "offset": numbered.offset,
        "similarity": numbered.similarity,
        "source": source,
    }
