# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address TIMEOUT 600
"""Every command of the tree, and all that the documents name, in the hands of somebody with bad luck: a wrong option,
help into a full disk, no permission, no network, a path with a space, Ctrl-C. None may end in a traceback, a panic or a
shell's own complaint; each says in a few lines what is wrong."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from tests.cli import test_help
from tests.cli.conftest import CLEAN, NOBODY, ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
# At the start of a line of code, or of a span of it, maybe behind sudo, an assignment or another command.
NAMED = re.compile(r"(?:^    |`|&& |\| )(?:sudo )?(?:[A-Z_]+=\S+ )*"
                   r"((?:\./|bench/|packaging/|tests/|tools/)[\w./-]+|octuple [a-z]+)", re.M)
BROKEN = ("Traceback", "panicked at", "unbound variable", "command not found", "No such file or directory: line",
          "syntax error", "Segmentation fault", "AssertionError")


# What nobody types: parts of a command, and a stand-in of a test.
PARTS = {"bench/beside/build", "bench/beside/libraries", "tests/places/confined/run.sh",
         "tests/servers/quick_start/systemctl", "tests/servers/random/reached.sh"}
# Those that become others, which they list.
LISTING = ("bench/run", "tests/places/run", "tests/servers/run")


def named() -> set[str]:
    """Those that are there; a document may name a file of the source as well."""
    found = {word.removesuffix(".") for document in DOCUMENTS for word in NAMED.findall(document.read_text())}
    return {word for word in found if os.access(ROOT / word, os.X_OK) and (ROOT / word).is_file()}


def executable() -> set[str]:
    """All others of these folders, and of the tree's own."""
    found = [path for folder in ("bench", "packaging", "tests", "tools") for path in (ROOT / folder).rglob("*")]
    names = [path.relative_to(ROOT) for path in (*found, *ROOT.iterdir())
             if path.is_file() and os.access(path, os.X_OK)]
    return {str(name) if name.parent.name else f"./{name}" for name in names} - PARTS


def listed(command: str) -> set[str]:
    said = subprocess.run([ROOT / command], check=True, capture_output=True, text=True).stdout
    return {f"{command} {name}" for name in re.findall(r"^  ([a-z]\w+) ", said, re.M)}


COMMANDS = sorted({*named(), *executable(), *(f"octuple {command}" for command in test_help.COMMANDS)}.union(
    *map(listed, LISTING)))
SCRIPTS = [command for command in COMMANDS if not command.startswith("octuple ")]
# What somebody runs who does not change the source.
USERS = [command for command in COMMANDS if not command.startswith(("tools/", "tests/", "packaging/"))]


def as_nobody():
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def call(place, command, *words, tree=ROOT, **options):
    """As a user who is nobody, in a source that is not his; without a terminal."""
    name, *more = command.split()
    path = [place.folder / "bin/octuple" if name == "octuple" else tree / name, *more]
    options = {"cwd": tree, **as_nobody(), "stdout": subprocess.PIPE, "timeout": 60, **options}
    return subprocess.run([*map(str, path), *map(str, words)], env=place.env | {"HOME": str(place.work)}, text=True,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, **options)


def bears_it(done, lines=40):
    said = (done.stdout or "") + done.stderr
    assert not any(word in said for word in BROKEN), said
    assert len(done.stderr.splitlines()) <= lines, done.stderr
    assert done.returncode >= 0, done  # no signal


def test_what_is_walked():
    """So that nothing escapes by a change of the pattern."""
    assert {"./demo", "./check", "octuple run", "octuple stopped", "packaging/apt", "bench/run official",
            "tests/places/run rpm", "tests/servers/run tokio"} <= {*COMMANDS}
    assert len(COMMANDS) >= 90
    assert all((ROOT / part).exists() for part in PARTS)


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_option(place, command):
    done = call(place, command, "--nonsense")
    bears_it(done)
    assert done.returncode != 0 and re.search("nonsense|required|SKIPPED", done.stdout + done.stderr), done


@pytest.mark.parametrize("command", COMMANDS)
def test_help(place, command):
    done = call(place, command, "--help")
    bears_it(done)
    assert done.returncode == 0 and re.search("usage", done.stdout, re.I), done
    if command in USERS:
        with open("/dev/full", "w", encoding="ascii") as full:
            done = call(place, command, "--help", stdout=full)
        bears_it(done)
        assert done.returncode != 0 or command in SCRIPTS, done


@pytest.fixture(scope="module")
def spaced():
    """A copy of what git has, in a folder that nobody but its owner may write to."""
    folder = Path(tempfile.mkdtemp(prefix="octuple a copy "))
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("command", SCRIPTS)
def test_path_with_a_space(place, spaced, command):
    bears_it(call(place, command, "--help", tree=spaced))
    bears_it(call(place, command, "--nonsense", tree=spaced))


@pytest.mark.parametrize("command", ("./demo", "./check", "bench/experiment", "bench/peers", "bench/fleet"))
def test_what_builds_refuses_such_a_path_or_no_permission_at_once(place, spaced, command):
    """Before it installs or builds anything: nobody may write there."""
    done = call(place, command, tree=spaced)
    bears_it(done)
    assert done.returncode != 0 and done.stderr.strip(), done
    assert not (spaced / "build").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has namespaces here")
@pytest.mark.parametrize("command", ("packaging/nginx/build", "packaging/container/fetch-openssl"))
def test_no_network(command, tmp_path):
    """The last line says what could not be had."""
    words = [tmp_path] if command.endswith("build") else ["experimental", tmp_path / "here"]
    done = subprocess.run(["unshare", "--net", ROOT / command, *words], env=CLEAN, cwd=tmp_path, text=True, check=False,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode not in (0, 127), done.stderr
    assert not any(word in done.stderr for word in BROKEN), done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert re.search("network|archive|mirror", last), done.stderr


@contextlib.contextmanager
def started(place, words):
    child = subprocess.Popen([place.folder / "bin/octuple", *words], env=place.env, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place.work, **as_nobody())
    with child:
        yield child
        child.kill()


@pytest.mark.parametrize("words", (["speed"], ["top", "--interval", "0.1", "./"], ["info"],
                                   ["run", "--", "sleep", "60"], ["doctor", "--", "sleep", "60"],
                                   ["check", "--", "sleep"], ["unit"]), ids=lambda words: words[0])
def test_interrupted(served, words):
    """By Ctrl-C, once it has begun: it ends, and says nothing that a program says that has broken."""
    with started(served, words) as child:
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert not any(word in out + err for word in BROKEN), err
    assert len(err.splitlines()) <= 8, err
    assert child.returncode in (0, 1, 4, 130, -signal.SIGINT), (child.returncode, err)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts here")
def test_counters_find_no_room(served):
    """A server serves all the same, and `octuple top` says why there are none."""
    script = """mount -t tmpfs -o size=64k none work
        bin/octuple run --counters work -- openssl speed -async_jobs 8 -seconds 1 rsa2048 >/dev/null 2>&1 || exit 9
        ls work
        bin/octuple top --once work/"""
    done = subprocess.run(["unshare", "--mount", "bash", "-c", script], env=served.env, cwd=served.folder, text=True,
                          capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode != 9 and done.stdout == "", done
    assert "the disk is full" in done.stderr


def test_packages_of_the_bundle_are_named():
    takes = re.search(r"^install_packages ([^\\]*)", (ROOT / "packaging/container/build").read_text(), re.M)[1].split()
    named = re.search(r"apt-get install (.*)\n +packaging/container/build", (ROOT / "docs/operations.md").read_text())
    assert named and {*takes, "buildah"} == {*named[1].split()}
