"""English words for counts, in messages that people read."""


def counted(count: int, one: str, more: str | None = None) -> str:
    """`1 row`, `1,200 rows`; `more` is the plural where it is not the word with an s."""
    return f"1 {one}" if count == 1 else f"{count:,} {more or one + 's'}"
