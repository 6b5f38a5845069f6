"""What can be wrong with an evaluation's input."""

from refdesk.kit.errors import Conflict, Forbidden, Invalid, NotFound


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


class TestSetNotFound(NotFound):
    """There is no test set or question of that id in this workspace."""

    __test__ = False

    code = "test-set-not-found"
    message = "There is no such test set."


class TestSetNameTaken(Conflict):
    """Another test set of the workspace has the name."""

    __test__ = False

    code = "test-set-name-taken"
    message = "There is a test set of that name already."


class TestSetFull(Invalid):
    """A test set cannot hold so many questions."""

    __test__ = False

    code = "test-set-full"
    message = "The test set cannot hold so many questions."


class TestSetWithoutBases(Conflict):
    """None of the knowledge bases of the test set is there any more."""

    __test__ = False

    code = "test-set-without-bases"
    message = "The knowledge bases of this test set have been deleted."
    hint = "Give the test set others, or run it over others."


class QuestionFileInvalid(Invalid):
    """A file of questions is not in the expected form."""

    code = "question-file-invalid"
    message = "The file of questions cannot be read."
    hint = (
        "CSV: columns question, documents (names or ids, separated by ;), paragraphs, nothing (yes or empty)."
        " JSONL: the same as keys of one object a line."
    )


class CalibrationTooSmall(Invalid):
    """A half of the questions has too few of a kind to fit a gate on, or to judge it by."""

    code = "calibration-too-small"
    message = "The set has too few questions to fit gates on."
    hint = (
        "Questions are split into two halves by chance, each of which needs 10 with an answer and 10 without."
        " With 30 of each kind that is nearly certain."
    )


class CalibrationOneSided(Invalid):
    """The set lacks questions with an answer, or questions without one."""

    code = "calibration-one-sided"
    message = "The set has only questions of one kind: with an answer, or without."
    hint = "Add the other kind, or make questions without an answer by leaving out what answers."


class CalibrationWithoutBases(Invalid):
    """None of the bases is searched with the embedding model that is to be calibrated."""

    code = "calibration-without-bases"
    message = "None of these knowledge bases is searched with this embedding model."


class CalibrationModelUnclear(Invalid):
    """The bases are searched with several embedding models, and none was chosen."""

    code = "calibration-model-unclear"
    message = "These knowledge bases are searched with several embedding models."
    hint = "Say which of them is to be calibrated."


class RerankerSilent(Conflict):
    """The reranker gave no scores, so that no gate can be fitted for it."""

    code = "reranker-silent"
    message = "The reranker gave no scores for a question."
    hint = "Test the reranker on the page of models, then calibrate anew."


class ComparisonNotFound(NotFound):
    """There is no comparison of that id in this workspace."""

    code = "comparison-not-found"
    message = "There is no such comparison."


class ComparisonModelMissing(Conflict):
    """A variant lets a model choose each step, and no language model is connected for it."""

    code = "comparison-model-missing"
    message = "A variant answers with an agent, and no language model is connected for it."
    hint = "Connect a language model on the page of models, or take the variant out."


class ComparisonEmpty(Invalid):
    """The test set has no questions to ask."""

    code = "comparison-empty"
    message = "The test set has no questions yet."


class ComparisonTooLarge(Invalid):
    """The test set has more questions than a comparison asks."""

    code = "comparison-too-large"
    message = "The test set has more questions than a comparison may ask."
    hint = "Say how many are to be asked; they are then taken evenly spread over the set."


class ComparisonUnderWay(Conflict):
    """A comparison of the test set is under way."""

    code = "comparison-under-way"
    message = "A comparison of this test set is under way."
    hint = "Wait for its end, or cancel it."


class ComparisonAnswersPrivate(Forbidden):
    """The answers of a comparison are read by whoever ran it."""

    code = "comparison-answers-private"
    message = "The answers of a comparison are shown to whoever ran it; its figures are everybody's."
    hint = "Run the comparison yourself to read answers to what you may see."


class ComparisonFailing(Conflict):
    """One answer of a comparison after the other failed."""

    code = "comparison-failing"
    message = "One answer after the other failed, so no more questions were asked."
    hint = "The table names what they failed with."
