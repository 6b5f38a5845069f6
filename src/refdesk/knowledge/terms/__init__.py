"""The term base: words that are kept whole, and synonyms. Owns `terms`."""
