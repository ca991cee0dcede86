# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Help, version, usage errors, and output that cannot be written."""
import re

import pytest
from tests.cli.conftest import ROOT

COMMANDS = ("info", "speed", "run", "check", "doctor", "top", "trace", "unit", "stopped")


def test_help_names_the_commands(place):
    result = place.call("--help")
    assert result.returncode == 0 and result.stderr == ""
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", result.stdout, re.M)
    assert "Examples:" in result.stdout and "Exit codes:" in result.stdout
    assert place.call("-h").stdout == result.stdout


def test_help_lists_the_settings(place):
    text = place.call("--help").stdout
    rows = re.findall(r'^OCT_SETTING\((\w+), "([^"]*)", "([^"]*)"', (ROOT / "src/base/settings.def").read_text(), re.M)
    assert rows
    assert re.findall(r"^  (OCTUPLE_\w+) ", text, re.M) == [f"OCTUPLE_{name}" for name, _, _ in rows]
    for name, values, default in rows:
        assert re.search(rf"^  OCTUPLE_{name} +{re.escape(values)} \(default {default}\): \w", text, re.M)
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(place, command):
    result = place.call(command, "--help")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout.startswith(f"Usage: octuple {command}")
    assert "Examples:" in result.stdout and "Exit codes:" in result.stdout
    assert place.call(command, "-h").stdout == result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 120


def test_version_is_the_project_version(place):
    version = re.search(r"project\(octuple VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    for option in ("--version", "-V"):
        result = place.call(option)
        lines = result.stdout.splitlines()
        assert result.returncode == 0 and lines[0] == f"octuple {version}"
        assert [line.split()[0] for line in lines[1:]] == ["commit", "table"]


@pytest.mark.parametrize("args", [[], ["nonsense"], ["--nonsense"], ["inf"], [""]])
def test_wrong_command(place, args):
    result = place.call(*args)
    assert result.returncode == 2 and result.stdout == ""
    assert "octuple --help" in result.stderr
    if args:
        assert "info, speed, run, check, doctor, top, trace, unit, stopped" in result.stderr


@pytest.mark.parametrize("args, code", [
    (["info", "--nonsense"], 2), (["info", "extra"], 2), (["info", "--json=1"], 2),
    (["speed", "--nonsense"], 2), (["speed", "--seconds"], 2),
    (["run"], 125), (["run", "--"], 125), (["run", "--nonsense", "--", "true"], 125),
    (["run", "--print-config", "true"], 125),
    (["doctor"], 2), (["doctor", "--"], 2), (["doctor", "--nonsense"], 2),
    (["doctor", "0"], 2),
    (["doctor", "-1"], 2), (["doctor", "99999999999"], 2), (["doctor", "1", "2"], 2),
    (["doctor", "--load", "443"], 2), (["doctor", "--load", "x", "1"], 2), (["doctor", "--load", "70000", "1"], 2),
    (["doctor", "--seconds", "5", "1"], 2),
    (["top", "--nonsense"], 2), (["top", "--interval", "0"], 2), (["top", "--interval", "1x"], 2),
    (["top", "--count", "0"], 2),
    (["top", "--count", "-1"], 2), (["top", "--json", "--prometheus"], 2), (["top", "--output", "file"], 2),
    (["doctor", "--seconds", "0", "--", "true"], 2), (["doctor", "--seconds", "x", "--", "true"], 2),
    (["doctor", "--connect", "a:1", "--", "true"], 2), (["doctor", "-n", "--", "true"], 2), (["doctor", "-n"], 2),
    (["doctor", "-n", "-c", "a:1", "1"], 2), (["doctor", "--seconds", "5", "-c", "a:1"], 2),
    (["trace"], 2), (["trace", "nonsense", "--pid", "1"], 2)])
def test_wrong_usage_points_at_the_help(place, args, code):
    result = place.call(*args)
    assert result.returncode == code and result.stdout == ""
    assert f"octuple {args[0]}: " in result.stderr
    assert f"Try 'octuple {args[0]} --help'." in result.stderr


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["info"], ["info", "--json"]])
def test_full_disk_is_an_error(place, args):
    with open("/dev/full", "w", encoding="ascii") as full:
        result = place.call(*args, stdout=full)
    assert result.returncode == 1
    assert "cannot write the output" in result.stderr
