"""When a web page says that it was published and changed: in its head, its structured data, or its text."""

import re

from selectolax.lexbor import LexborHTMLParser

_SELECTORS = {
    "published_at": (
        'meta[property="article:published_time"],meta[itemprop="datePublished"],meta[name="date"],'
        'meta[name="dc.date"],meta[name="DC.date.issued"],meta[name="citation_publication_date"],'
        'time[itemprop="datePublished"],time[pubdate]'
    ),
    "modified": (
        'meta[property="article:modified_time"],meta[itemprop="dateModified"],meta[name="last-modified"],'
        'time[itemprop="dateModified"]'
    ),
}
# Schema.org, as JSON in a script.
_STRUCTURED = {
    "published_at": re.compile(r'"datePublished"\s*:\s*"([^"]{4,40})"'),
    "modified": re.compile(r'"dateModified"\s*:\s*"([^"]{4,40})"'),
}


def page_dates(tree: LexborHTMLParser) -> dict[str, str]:
    """`published_at` and `modified` as the page writes them; what it does not say is left out."""
    found: dict[str, str] = {}
    structured = " ".join(node.text() for node in tree.css('script[type="application/ld+json"]'))
    for key, selector in _SELECTORS.items():
        for node in tree.css(selector):
            value = node.attributes.get("content") or node.attributes.get("datetime") or ""
            if value.strip():
                found[key] = value.strip()[:40]
                break
        match = _STRUCTURED[key].search(structured)
        if key not in found and match is not None:
            found[key] = match[1]
    return found
