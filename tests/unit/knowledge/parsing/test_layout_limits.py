"""Pages no person would make: laying them out takes no longer than others."""

import time

from refdesk.knowledge.parsing.layout.columns import regions
from refdesk.knowledge.parsing.layout.glyph import Glyph
from refdesk.knowledge.parsing.layout.grids import Rule, take_tables
from refdesk.knowledge.parsing.layout.segments import Segment


def test_text_placed_kilometres_away_takes_no_time() -> None:
    # Found by fuzzing: a damaged page was looked over for gutters in steps of three points.
    places = [(40.0, 10.0), (9e9, 10.0), (40.0, 30.0), (9e9, 30.0), (40.0, 50.0), (9e9, 50.0)]
    segments = [Segment("words of a line", x, y, x + 200, y + 10, 10, bold=False) for x, y in places]
    begin = time.process_time()
    assert sum(map(len, regions(segments))) == len(segments)
    assert time.process_time() - begin < 1


def test_squared_paper_is_no_table_and_takes_no_time() -> None:
    lines = [Rule(0.3 * n, 0, 600) for n in range(2_000)]
    glyphs = [
        Glyph("x", 10 * n, 10 * n, 10 * n + 5, 10 * n + 5, 10, bold=False, space_before=False)
        for n in range(50)
    ]
    begin = time.process_time()
    assert take_tables(glyphs, lines, lines) == ([], glyphs)
    assert time.process_time() - begin < 10
