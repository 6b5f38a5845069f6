"""CSV and TSV: encoding and delimiter found by trial, quoted line breaks kept, damaged quoting survived."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import character_counts, finish
from refdesk.knowledge.parsing.errors import EmptyFile
from refdesk.knowledge.parsing.plain import read_text
from refdesk.knowledge.parsing.sheets.writing import Repeated, write_records

_DELIMITERS = (",", ";", "\t", "|", "，")
_SAMPLE = 64 * 1024
_SAMPLE_RECORDS = 200
_MAX_LINES_IN_CELL = 500
_NAMED = re.compile(r"\A\s*sep=(.)[ \t]*\n", re.IGNORECASE)


class Delimited:
    """Comma, semicolon, tab and bar separated values, by name: any text could be some."""

    kind = "csv"
    suffixes = (".csv", ".tsv", ".tab")

    def supports(self, name: str, head: bytes) -> bool:
        """Text whose name says so."""
        return name.lower().endswith(self.suffixes) and not looks_binary(head)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """One table; a lone text in the first records is its title."""
        found = BlockList()
        decoded = read_text(data, found)
        text = decoded.text
        named = _NAMED.match(text)
        delimiter = named[1] if named else ("\t" if name.lower().endswith((".tsv", ".tab")) else "")
        text = text[named.end() :] if named else text
        if delimiter not in text or not delimiter:
            delimiter = sniff(text[:_SAMPLE])
        quoted = not _is_left_open(text, delimiter)
        if not quoted:
            found.warn(
                "unclosed-quote", "A quotation mark is not closed: the lines were read without quoting."
            )
        repeated = Repeated()
        count = write_records(_records(text, delimiter, quoted=quoted), found, options, repeated)
        if not found.blocks:
            raise EmptyFile("The file holds no records.")
        meta = {"encoding": decoded.encoding, "delimiter": delimiter, "records": count}
        # The independent reading: the text as it stands, less the marks that may only carry structure.
        bare = text.replace(delimiter, "").replace('"', "")
        return finish(name, self.kind, found, meta, character_counts([bare]) + repeated.characters())


def _is_left_open(text: str, delimiter: str) -> bool:
    """Whether a quotation mark swallows more lines than anyone would write into one cell."""
    if '"' not in text:
        return False
    return any(
        cell.count("\n") > _MAX_LINES_IN_CELL for record in _records(text, delimiter) for cell in record
    )


def _records(text: str, delimiter: str, *, quoted: bool = True) -> Iterator[list[str]]:
    """Records one at a time: as a list, those of a file of 200,000 rows take 150 MB."""
    # The limit of the module is one for the process; a cell may be as long as the file.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    # Some programs write a space behind each delimiter; a quotation mark behind it still opens a cell.
    spaced = delimiter != " " and f'{delimiter} "' in text[:_SAMPLE]
    return csv.reader(_lines(text), delimiter=delimiter, quoting=quoting, skipinitialspace=spaced)


def _lines(text: str) -> Iterator[str]:
    """Lines of a text; `io.StringIO` would hold it once more with four bytes a character."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def sniff(sample: str) -> str:
    """The delimiter that cuts most records of a sample into the same number of cells, more than one."""
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        records = [
            r for r in islice(_records(sample, delimiter), _SAMPLE_RECORDS) if any(c.strip() for c in r)
        ]
        if not records:
            continue
        # The last record of a sample may be cut off.
        counts = Counter(len(r) for r in (records[:-1] if len(records) > 2 else records))
        width, alike = max(counts.items(), key=lambda item: (item[1] * (item[0] > 1), item[0]))
        if width < 2:
            continue
        score = alike / counts.total() + min(width, 20) / 100
        if score > best_score:
            best, best_score = delimiter, score
    return best
