"""Classes of characters that the tokenizer tells apart, as the inside of a regular expression's brackets."""

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

PAIRED = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u104f\u1780-\u17d3"
"""Kana, Thai, Lao, Myanmar, Khmer: written without spaces and not known to the segmenter."""

LETTER = rf"[^\W_{HAN}{PAIRED}]"
"""A letter or digit of a script that is written in words."""
