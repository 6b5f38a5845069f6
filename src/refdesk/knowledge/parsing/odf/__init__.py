"""OpenDocument: the package and its styles, running text, sheets and slides; one parser for each kind."""
