"""Arguments of tools: read however a model wrote them, checked by their schema, found in a question.

Owns everything between what a model or a person wrote and arguments that a tool may be called with. Never
makes a value up: what is read stands in what was written, what is found stands in the conversation.
"""

from refdesk.tools.arguments.checking import ArgumentFault, Checked, check_arguments
from refdesk.tools.arguments.extraction import Extraction, extract_arguments
from refdesk.tools.arguments.fields import FormField, asking_text, form_fields
from refdesk.tools.arguments.reading import MAX_ARGUMENT_CHARS, Read, read_arguments
from refdesk.tools.arguments.usable import problem_of_schema

__all__ = [
    "MAX_ARGUMENT_CHARS",
    "ArgumentFault",
    "Checked",
    "Extraction",
    "FormField",
    "Read",
    "asking_text",
    "check_arguments",
    "extract_arguments",
    "form_fields",
    "problem_of_schema",
    "read_arguments",
]
