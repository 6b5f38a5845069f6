"""When a page says it was published and changed."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from refdesk.knowledge.parsing.html_dates import page_dates


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<meta property="article:published_time" content="2025-03-01">', {"published_at": "2025-03-01"}),
        ('<meta name=date content=" 2025-03-02 "><meta name=date content=x>', {"published_at": "2025-03-02"}),
        ('<p><time itemprop=dateModified datetime="2025-04-01">April</time>', {"modified": "2025-04-01"}),
        (
            '<script type="application/ld+json">{"datePublished": "2025-05-01", "dateModified":"2025-06-01"}'
            "</script>",
            {"published_at": "2025-05-01", "modified": "2025-06-01"},
        ),
        ("<time datetime=2025-01-01>some other day</time>", {}),
        ("<p>nothing</p>", {}),
    ],
)
def test_dates_are_found_where_pages_put_them(page: str, expected: dict[str, str]) -> None:
    assert page_dates(LexborHTMLParser(page)) == expected
