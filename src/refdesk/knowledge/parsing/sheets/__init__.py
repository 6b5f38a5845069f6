"""Spreadsheets and delimited text: cells as shown, the tables they form (`regions`), and their blocks."""
