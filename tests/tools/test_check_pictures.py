# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import shutil
import xml.etree.ElementTree as ET

import pytest
from tests.tools.conftest import ROOT, run_tool

FILES = ("tools/check-layers", "shim/handshake/states.c", "shim/handshake/points.c", "shim/handshake/handshake.c",
         "shim/events/epoll.c", "shim/events/events.c", "shim/ssl.c", "provider/async/task.c")
TASK, STATES = "provider/async/task.c", "shim/handshake/states.c"
PICTURES = ("way", "rooms", "states", "decides")


@pytest.fixture
def house(tree):
    for name in (*FILES, *(f"docs/pictures/{name}.svg" for name in PICTURES)):
        (tree.path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree.path / name)
    return tree


def change(house, name, old, new):
    path = house.path / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return run_tool("check-pictures", "--root", house.path)


def test_clean(house):
    assert run_tool("check-pictures", "--root", house.path).status == 0


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_that_was_edited_is_drawn_anew(house, name):
    file = f"docs/pictures/{name}.svg"
    assert change(house, file, "</title>", ".</title>").finds(file, "--write draws it")
    assert run_tool("check-pictures", "--root", house.path, "--write").status == 0
    assert (house.path / file).read_text() == (ROOT / file).read_text()


@pytest.mark.parametrize("old,new", [
    ("    if (task->op < 0)\n        return FALLBACK;\n", ""),
    ("if (!has_lanes(task))", "if (!has_lanes(task) && pausable)"),
    ("return GIVE_UP;", "return FALLBACK;"),
    ("may_be_alone(task) ? LANES : FALLBACK", "may_be_alone(task) ? LANES : ASIDE")])
def test_another_decision(house, old, new):
    assert change(house, TASK, old, new).finds(TASK, "decide() is not what")


@pytest.mark.parametrize("old,new,said", [
    ("ON(PAUSE, TO(SAY_WAIT, PAUSED))", "ON(PAUSE, TO(SAY_WAIT, READY))", "from RUNNING to PAUSED lead no events"),
    ("ON(TOLD, TO(LEAD, READY))", "ON(TOLD, DO(NOTHING))", "from PAUSED to READY"),
    ("ON(LOOK, TO(FORCE, ENDING))", "ON(LOOK, DO(SAY_WAIT))", "from PAUSED to ENDING"),
    ("ON(CALL, TO(give, LEFT))", "ON(CALL, TO(give, ENDING))", "from ENDED to LEFT")])
def test_other_ways_between_states(house, old, new, said):
    assert change(house, STATES, old, new).finds(STATES, said)


def test_another_room(house):
    assert change(house, "tools/check-layers", '    "src/cpu": Room(\n        ("src/base",)',
                  '    "src/cpu": Room(\n        ()').finds("docs/pictures/rooms.svg", "not that of ROOMS")


def test_a_function_that_is_gone(house):
    assert change(house, "shim/handshake/points.c", '"TWSCV"', '"TWSCX"').finds("points.c", "TWSCV")


@pytest.mark.parametrize("name", PICTURES)
def test_for_telephones_and_for_the_dark(name):
    text = (ROOT / f"docs/pictures/{name}.svg").read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in text
    picture = ET.fromstring(text)
    width, height = picture.get("width"), picture.get("height")
    assert int(width) < 390 and picture.get("viewBox") == f"0 0 {width} {height}"
