"""Skills: procedures as folders with a `SKILL.md`, in the open Agent Skills format.

Owns the packages, those that come with the product, and the tools by which an agent reads and uses them. A
model sees names and descriptions first, the body and files on demand. Scripts run in the sandbox of `tools`
and nowhere else.
"""

from refdesk.skills.packages import Package
from refdesk.skills.routes import router
from refdesk.skills.shelf import Shelf
from refdesk.skills.tools import skill_tools

routers = (router,)

__all__ = ["Package", "Shelf", "router", "routers", "skill_tools"]
