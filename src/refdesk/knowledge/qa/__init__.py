"""Tables of questions and answers: read in a limited process, imported a paragraph a row; templates."""

from refdesk.knowledge.qa.routes import router
from refdesk.knowledge.qa.templates import template

__all__ = ["router", "template"]
