"""What can be wrong with an evaluation's input."""

from refdesk.kit.errors import Invalid


class TestSetUnreadable(Invalid):
    """A file of a test set is missing or not in the expected form."""

    __test__ = False  # pytest takes the name for a test class

    code = "test-set-unreadable"
    message = "A file of the test set cannot be read."
    hint = (
        "Corpus and queries are JSON lines with id and text (corpus: also title); relevance is"
        " tab-separated: query-id, corpus-id, score."
    )


class TestSetEmpty(Invalid):
    """No query of the test set has a relevant passage in the corpus."""

    __test__ = False

    code = "test-set-empty"
    message = "No query of this test set has a relevant passage in the corpus."
