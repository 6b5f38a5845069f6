"""Skills as they are read from a ZIP or a SKILL.md."""

import io
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.skills.builtin_skills import builtin_skills
from refdesk.skills.errors import SkillInvalid, SkillTooLarge
from refdesk.skills.packages import MAX_BYTES, read_package, written

FRONT = "---\nname: my-skill\ndescription: Does it.\n---\n\nSteps.\n"


def zipped(**files: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return data.getvalue()


def test_a_folder_in_a_zip_and_a_file_alone_are_read() -> None:
    whole = read_package(zipped(**{"my-skill/SKILL.md": FRONT, "my-skill/a/b.py": "", "__MACOSX/x": ""}))
    assert (whole.name, whole.body, whole.others) == ("my-skill", "Steps.", ["a/b.py"])
    assert read_package(FRONT.encode()).description == "Does it."


@pytest.mark.parametrize(
    "data",
    [
        b"no front matter",
        FRONT.replace("my-skill", "My Skill").encode(),
        FRONT.replace("Does it.", "").encode(),
        b"---\nname: [\n---\n",
        zipped(**{"SKILL.md": FRONT, "../../etc/cron.d/x": ""}),
        b"PK\x03\x04 broken",
    ],
)
def test_what_is_no_skill_is_refused(data: bytes) -> None:
    with pytest.raises(SkillInvalid):
        read_package(data)


def test_a_bomb_is_refused_unopened() -> None:
    with pytest.raises(SkillTooLarge):
        read_package(zipped(**{"SKILL.md": FRONT, "zeros": "0" * (2 * MAX_BYTES)}))


@given(st.binary(max_size=300))
def test_any_bytes_are_a_skill_or_a_clear_refusal(data: bytes) -> None:
    with suppress(SkillInvalid, SkillTooLarge):
        assert read_package(data).name


def test_three_skills_come_with_the_product() -> None:
    assert set(builtin_skills()) == {"document-consistency-check", "skill-creator", "skill-finder"}
    assert "多文档一致性核对" in builtin_skills()["document-consistency-check"].description
    again = written("x", 'with "quotes": and 中文', "Body")
    assert again.description == 'with "quotes": and 中文'
