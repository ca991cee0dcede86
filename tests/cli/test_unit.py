# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""octuple unit: a drop-in on and off, for systems of systemd below a folder, and completion of what the command has."""
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "etc/systemd/system"


@pytest.fixture
def system(place):
    """The root of a system."""
    root = place.work / "root"
    (root / FOLDER).mkdir(parents=True)
    for path in (root, *root.rglob("*")):
        shutil.chown(path, **({"user": 65534, "group": 65534} if place.as_root else {"user": path.owner()}))
    return root


def unit(place, system, *words):
    return place.call("unit", "--root", system, *words)


def drop_ins(system):
    return sorted(str(path.relative_to(system / FOLDER)) for path in (system / FOLDER).rglob("*.conf"))


def test_on_lists_and_off(place, system):
    result = unit(place, system, "on", "nginx", "haproxy.service")
    assert result.returncode == 0 and "nginx.service has Octuple from its next start on" in result.stdout
    assert drop_ins(system) == ["haproxy.service.d/octuple.conf", "nginx.service.d/octuple.conf"]
    listed = unit(place, system).stdout.splitlines()
    assert sorted(line.split()[0] for line in listed) == ["haproxy.service", "nginx.service"]
    assert unit(place, system, "off", "nginx", "haproxy").returncode == 0
    assert not list((system / FOLDER).iterdir()) and unit(place, system).stdout == ""


def test_the_drop_in_is_the_example(place, system):
    unit(place, system, "on", "nginx")
    made = (system / FOLDER / "nginx.service.d/octuple.conf").read_text()
    kept = (ROOT / "packaging/systemd/octuple.conf.in").read_text()
    assert len(made.splitlines()) == len(kept.splitlines())
    for line, source in zip(made.splitlines(), kept.splitlines()):
        assert line == source or "@" in source
    assert "/octuple/$LIB/liboctuple-async.so" in made and "@" not in made


def test_other_drop_ins_stay(place, system):
    other = system / FOLDER / "nginx.service.d/limits.conf"
    unit(place, system, "on", "nginx")
    shutil.copy(ROOT / "LICENSE", other)
    unit(place, system, "off", "nginx")
    assert drop_ins(system) == ["nginx.service.d/limits.conf"]


def test_drop_ins_of_before_are_listed(place, system):
    """They name the command; comments do not count."""
    for name, text in (("old", "[Service]\nExecStart=/usr/bin/octuple run -- /bin/x\n"), ("none", "# octuple run\n")):
        (system / FOLDER / f"{name}.service.d").mkdir()
        (system / FOLDER / f"{name}.service.d/own.conf").write_text(text)
    assert unit(place, system).stdout.split() == ["old.service", str(system / FOLDER / "old.service.d/own.conf")]


@pytest.mark.parametrize("words", (["on"], ["up", "nginx"], ["on", "../nginx"], ["on", ""], ["off", ".hidden"]))
def test_wrong_words(place, system, words):
    assert unit(place, system, *words).returncode == 2 and drop_ins(system) == []


def test_what_may_not_be_written(place, system):
    (system / FOLDER).chmod(0o555)
    result = unit(place, system, "on", "nginx")
    assert result.returncode == 1 and "Permission denied" in result.stderr and result.stdout == ""


def completed(place, *words):
    """What bash offers for the last of them."""
    script = (f". {ROOT}/packaging/completion/octuple.bash; COMP_WORDS=({place.folder}/bin/octuple {' '.join(words)})\n"
              f"COMP_CWORD={len(words)}; _octuple; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, env=place.env)
    return done.stdout.split()


def test_completion_has_the_commands_of_the_help(place):
    listed = place.call("nonsense").stderr.splitlines()[0].partition("are: ")[2].split(", ")
    assert len(listed) > 8 and completed(place, "''") == [*listed, "--help", "--version"]
    assert completed(place, "do") == ["doctor"]
    for command in listed:
        options = completed(place, command, "--")
        assert "--help" in options and all(option in place.call(command, "--help").stdout for option in options)
    assert completed(place, "unit", "o") == ["on", "off"]
    assert completed(place, "run", "--k") == ["--keep-groups"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_completion_for_zsh_is_valid():
    subprocess.run(["zsh", "-n", ROOT / "packaging/completion/_octuple"], check=True)


def test_removal_names_the_drop_ins_that_stay(tmp_path):
    """And what removes them when the command is gone too."""
    (tmp_path / "octuple").write_text("#!/bin/sh\necho 'nginx.service  /etc/x.conf'\n")
    (tmp_path / "octuple").chmod(0o755)
    done = subprocess.run(["sh", ROOT / "debian/octuple.prerm", "remove"], capture_output=True, text=True, check=False,
                          env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert done.returncode == 0 and "/etc/x.conf" in done.stderr
    assert "'rm FILE'" in done.stderr and "unit off" not in done.stderr
