"""What can be wrong with a skill."""

from refdesk.kit.errors import Conflict, Invalid, NotFound, TooLarge


class SkillNotFound(NotFound):
    """No skill of this name in the workspace, and none that comes with the product."""

    code = "skill-not-found"
    message = "There is no such skill."


class SkillFileNotFound(NotFound):
    """The skill has no file at this path."""

    code = "skill-file-not-found"
    message = "The skill has no such file."


class SkillInvalid(Invalid):
    """The package is no skill: no `SKILL.md`, no front matter, a name or path that cannot be."""

    code = "skill-invalid"
    message = "This is not a skill."
    hint = "A folder with a SKILL.md that begins with --- name, description ---, as a ZIP or the file alone."


class SkillTooLarge(TooLarge):
    """A skill has limits of size and of the number of its files."""

    code = "skill-too-large"
    message = "The skill is too large."


class SkillNameTaken(Conflict):
    """A skill that comes with the product cannot be replaced."""

    code = "skill-name-taken"
    message = "A skill that comes with the product has this name."
    hint = "Choose another name."
