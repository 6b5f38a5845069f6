"""Numbers of chapters and articles in one spelling: `第6章` and `第六章` are the same words to the index.

In Chinese numerals, because the segmenter knows `第六章` as a word; in digits it makes three of it, `第`, `6`
and `章`, of which none says which chapter is meant.
"""

import re

_LABEL = re.compile(r"第\s{0,2}(\d{1,3})\s{0,2}(?=[章节篇编部卷回讲条款项])")
_DIGITS = "零一二三四五六七八九"


def with_han_numbers(folded: str) -> str:
    """`folded` text with the digits of such labels as Chinese numerals; others stay."""
    if "第" not in folded:
        return folded
    return _LABEL.sub(lambda label: "第" + _han(int(label[1])), folded)


def _han(value: int) -> str:
    """A number up to 999 as laws count: 十二, 一百零三, 一百一十."""
    hundreds, rest = divmod(value, 100)
    tens, ones = divmod(rest, 10)
    out = f"{_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        out += ("" if tens == 1 and not hundreds else _DIGITS[tens]) + "十"
    elif hundreds and ones:
        out += "零"
    return out + (_DIGITS[ones] if ones or not value else "")
