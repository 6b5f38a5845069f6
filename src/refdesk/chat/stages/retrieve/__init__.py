"""Stage `retrieve`: the documents and the tools at once, for each question that was asked.

`planning` decides what is to be searched and called, from the questions alone; `forms` puts to the person
what is missing or needs a yes; `fetching` does all of it at once; `merging` makes one list of it.
"""
