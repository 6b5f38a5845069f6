"""One module a kind of source: its settings (`Config`) and how it is opened (`open`)."""
