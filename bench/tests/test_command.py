# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a first user does wrong, and what the system may lack: each is told in one line, before anything is installed
or built, and nothing ends in a traceback."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import command
from bench.measure import arguments
from lab import ROOT, machine
from lab.testing import said_on_terminal

CPU = "OCTUPLE_TABLE", "OPENSSL_ia32cap"
COMMANDS = {"./demo": (), "bench/experiment": ("memory",), "bench/peers": (), "bench/keys": (), "bench/fleet": (),
            "bench/results": ()}
USAGE, STOPPED = 2, 130
# Each program of the system that installs packages, with the words of the real one; sudo runs nothing but apt.
DPKG_QUERY = "exit 1"
SUDO = 'case $1 in env) exec "$@" ;; esac; cat >/dev/null'
APT = {
    "no network": "echo '  E: Failed to fetch http://d/x.deb  Temporary failure resolving d'; exit 100",
    "the disk is full": "echo 'E: Sub-process /usr/bin/dpkg: failed to write: No space left on device'; exit 100",
    "another program installs packages": "echo 'E: Could not get lock /var/lib/dpkg/lock-frontend.'; exit 100",
    "it says": "echo 'E: Unable to locate package nginx'; exit 100",
}


def run(command: list, folder: Path = ROOT, **more: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                          env=os.environ | more)


def measurements() -> list[tuple[str, str]]:
    """All names with their modules, by bench/run's own list."""
    listed = re.findall(r"^([a-z]+) +(bench[.][a-z.]+) ", (ROOT / "bench/run").read_text(), re.M)
    named = re.findall(r"^  (\w+) ", run(["bench/run", "--help"]).stdout, re.M)
    assert [name for name, _ in listed] == named and len(named) > 10
    return listed


@pytest.fixture(name="tree")
def fixture_tree(tmp_path):
    """The commands in a folder of their own, which nobody has built in."""

    def make(name: str) -> Path:
        (tmp_path / name).mkdir()
        for part in ROOT.iterdir():
            if part.name in ("bench", "lab", "tools"):
                shutil.copytree(part, tmp_path / name / part.name)
            elif part.is_file():
                shutil.copy(part, tmp_path / name)
            elif part.name not in ("build", ".git"):
                (tmp_path / name / part.name).symlink_to(part)
        return tmp_path / name

    return make


@pytest.fixture(name="system")
def fixture_system(tmp_path):
    """PATH with an apt-get that does so, on a system that has no package, for a user with sudo."""

    def make(apt: str) -> str:
        folder = tmp_path / "system"
        folder.mkdir()
        for name, text in {"apt-get": apt, "dpkg-query": DPKG_QUERY, "sudo": SUDO, "id": "echo 1000"}.items():
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    return make


def told(done: subprocess.CompletedProcess, what: str, status: int = USAGE) -> None:
    """In one line that says it, and no other words than those of a plan come before."""
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr and what in done.stderr.splitlines()[-1], done.stderr


@pytest.mark.parametrize("name, module", measurements())
def test_arguments_are_read_without_any_package(name, module):
    python = ["/usr/bin/python3", "-S", "-m", "bench.command", "--parse", name, module]
    wrong, asked = run([*python, "--no-such-option"]), run([*python, "--help"])
    assert wrong.returncode == USAGE and " error: " in wrong.stderr.splitlines()[-1], wrong.stderr
    assert asked.returncode == 0 and asked.stdout.startswith("usage: ") and not asked.stderr


MODULES_OF = {"python3-rich": {"rich"}, "python3-jinja2": {"jinja2", "markupsafe"}, "python3-brotli": {"brotli"}}


@pytest.mark.parametrize("name, module", measurements())
def test_its_packages_are_all_that_a_measurement_imports(name, module):
    listing = 'eval "$(sed -n "/^memory=/,/^}/p" bench/run)"; measurements'
    line = next(line for line in run(["bash", "-c", listing]).stdout.splitlines() if line.startswith(f"{name} "))
    absent = set().union(*MODULES_OF.values()) - set().union(*(MODULES_OF.get(word, set()) for word in line.split()))
    script = (f"import sys; sys.modules.update(dict.fromkeys({sorted(absent)})); "
              f"from bench import command; command.module_of('{module}')")
    done = run(["/usr/bin/python3", "-c", script], PYTHONPATH=str(ROOT))
    assert done.returncode == 0, done.stderr


def documented() -> list[str]:
    """The command lines of all documents, without what stands for something else."""
    found = {}
    for path in (ROOT / "README.md", ROOT / "bench/README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for line in path.read_text().splitlines():
            command = re.match(r"(?:    |)((?:\./demo|bench/\w+)(?: .*)?)$", line.partition(" #")[0].rstrip())
            if command and not re.search(r"\b[A-Z]{3,}\b|\.\.\.|[|$&;*]|   ", command[1]):
                found[command[1]] = None
    return list(found)


@pytest.mark.parametrize("line", documented())
def test_documented_commands_are_read(line):
    words = shlex.split(line)
    name = "demo" if words[0] == "./demo" else words.pop(1) if words[0] == "bench/run" else words[0].partition("/")[2]
    module = dict(measurements())[name]
    done = run(["/usr/bin/python3", "-S", "-m", "bench.command", "--parse", name, module, *words[1:]])
    assert done.returncode == 0, done.stderr


def test_documents_have_commands():
    assert len(documented()) > 12


@pytest.mark.parametrize("command, more", COMMANDS.items())
def test_a_wrong_option_installs_and_builds_nothing(tree, system, command, more):
    folder = tree("clone")
    done = run([command, *more, "--no-such-option"], folder, PATH=system("echo installs; exit 1"))
    told(done, "error: unrecognized arguments: --no-such-option")
    assert not (folder / "build").exists() and "installing" not in done.stderr


def test_check_refuses_a_wrong_option(tree, system):
    done = run(["./check", "--no-such-option"], tree("clone"), PATH=system("exit 1"))
    assert done.returncode == USAGE and "unknown argument --no-such-option" in done.stderr


OWN_MOUNTS = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
mounts = pytest.mark.skipif(run([*OWN_MOUNTS, "true"]).returncode != 0, reason="no mounts of our own are permitted")


def without_python(command: str, instead: str = "/dev/null") -> list[str]:
    """In a mount namespace in which /usr/bin/python3 cannot be executed, or is another program."""
    return [*OWN_MOUNTS, "sh", "-ec", f'mount --bind {instead} "$(readlink -f /usr/bin/python3)"; exec {command}']


@mounts
@pytest.mark.parametrize("instead", ("/dev/null", "/bin/false"), ids=("none", "without its library"))
def test_help_needs_no_python(instead):
    done = run(without_python("./demo --help", instead))
    assert done.returncode == 0 and not done.stderr
    assert "what Octuple does for an unmodified nginx" in done.stdout and "  --quick\n" in done.stdout


@mounts
def test_a_wrong_option_needs_no_python():
    told(run(without_python("./demo --quik")), "unknown option --quik; there are --quick --json")


@pytest.mark.parametrize("command", ("./demo", "bench/keys", "./check"))
def test_a_path_with_a_space_is_refused_at_once(tree, system, command):
    told(run([command], tree("my clone"), PATH=system("exit 1")), "takes no path with a space or a colon")


@mounts
@pytest.mark.parametrize("command", ("./demo --json /dev/null", "./check"))
def test_a_tree_that_may_not_be_written(tree, system, command):
    folder = tree("clone")
    inside = f'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; cd "$0"; exec {command}'
    done = run([*OWN_MOUNTS, "sh", "-ec", inside, str(folder)], PATH=system("exit 1"))
    told(done, "build may not be written")


def test_where_the_report_goes_is_no_reason_not_to_build(tree, system, tmp_path):
    """Only bench/experiment has a --report that measures nothing."""
    done = run(["./demo", "--report", str(tmp_path / "report")], tree("clone"), PATH=system(APT["no network"]))
    assert " cmake ninja-build " in done.stderr.splitlines()[0]
    Path(done.stderr.splitlines()[-1].rpartition(" ")[2]).unlink()


def test_a_tree_that_was_moved(tree, system):
    folder = tree("clone")
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
    told(run(["./demo"], folder, PATH=system("exit 1")), "build/release was made for /elsewhere")


def test_a_build_takes_room(tree, system):
    folder = tree("clone")
    path = system("exit 1")
    (Path(path.partition(":")[0]) / "df").write_text("#!/bin/sh\necho 'Filesystem M Used Available'; echo x 1 1 17\n")
    (Path(path.partition(":")[0]) / "df").chmod(0o755)
    told(run(["./demo"], folder, PATH=path), "the disk is too full: a build takes 400 MB")


@pytest.mark.parametrize("why, apt", APT.items())
@pytest.mark.parametrize("command", ("./demo", "packaging/container/build made"))
def test_why_packages_were_not_installed(tree, system, command, why, apt):
    done = run(command.split(), tree("clone"), PATH=system(apt))
    lines = done.stderr.splitlines()
    assert done.returncode == USAGE and len(lines) == 3, done.stderr
    assert f"the packages could not be installed, {why}: E: " in lines[1]
    Path(lines[2].rpartition(" ")[2]).unlink()  # all messages


def test_sizes_are_told_before_the_installation(tree, system):
    apt = ("case $* in *update*) exit 1 ;; *--assume-no*) ;; *) echo 'E: stop'; exit 100 ;; esac\n"
           "echo '0 upgraded, 77 newly installed, 0 to remove and 0 not upgraded.'\n"
           "echo 'Need to get 85.2 MB of archives.'\n"
           "echo 'After this operation, 335 MB of additional disk space will be used.'")
    done = run(["./demo"], tree("clone"), PATH=system(apt))
    assert "with all that these need: 77 packages, 85.2 MB to fetch, 335 MB on disk" in done.stderr.splitlines()[1]
    Path(done.stderr.splitlines()[-1].rpartition(" ")[2]).unlink()


@pytest.mark.parametrize("pattern, total, part", ((r"^\[[0-9]*/[0-9]*\]", "", "[{}/9]"), ("^Get:", "9", "Get:{} x"),
                                                  ("^Get:", "9", "Get:{} x\nGet: again")))
def test_progress_is_told_on_a_terminal(tmp_path, pattern, total, part):
    """From before the log has any of it: a build begins with words of CMake."""
    said = "; ".join(f"sleep 0.6; echo '{part.format(number)}'" for number in range(1, 8))
    (tmp_path / "work").write_text(f"echo 'The compiler is looked for'; sleep 1.5; {said}")
    script = (f"set -eu; . tools/progress.sh; name=demo; "
              f"while_told {tmp_path}/log '{pattern}' '{total}' sh {tmp_path}/work")
    status, said = said_on_terminal(["bash", "-c", script], "stderr", cwd=ROOT)
    lines = [line for line in re.split(r"\r\x1b\[K", said.decode()) if line]
    assert status == 0 and all(re.fullmatch(r"demo: \d+ of 9(, about \d+ s left)?", one) for one in lines)
    assert re.search(r"of 9, about \d+ s left", lines[-1]), lines
    assert all(int(line.split()[1]) <= 9 for line in lines), lines


@pytest.mark.parametrize("text, ours", (("", True), ("# of Octuple, only while it installs packages", True),
                                        ("# the administrator's", False)))
def test_services_start_again_after_an_installation(tmp_path, system, text, ours):
    """Also if one was killed before: its policy bears a mark, and holds for as long as its process lives."""
    policy = tmp_path / "policy-rc.d"
    if text:
        policy.write_text(f"#!/bin/sh\n{text}\nexit 101\n")
        policy.chmod(0o755)
    script = (f'. tools/packages.sh; become=() policy={policy}; (install_quietly nginx)')
    done = run(["bash", "-c", script], PATH=system(f"cp -p {policy} {policy}.kept; {policy}; echo says $?"))
    assert done.returncode == 0 and "says 101\n" in done.stdout
    assert policy.exists() != ours
    assert run([f"{policy}.kept"]).returncode == (0 if ours else 101)


@pytest.mark.parametrize("option, why", (("--json=/nowhere/x.json", "/nowhere is no folder"),
                                         ("--report=/dev/null/x", "/dev/null is no folder"),
                                         ("--json=/", "/ is a folder"), ("--json=/proc/x", "/proc may not be written")))
def test_where_results_go_is_looked_at_first(option, why):
    if "may not" in why and os.geteuid() == 0:
        option, why = "--json=/sys/fs/x/y", "/sys/fs/x is no folder"  # root may write everywhere
    told(run(["./demo", option]), why)


MODULES = {
    "waits": "import time\ndef main(argv):\n    print('ready', flush=True)\n    time.sleep(60)\n",
    "writes": "def main(argv):\n    with open('/dev/full', 'w') as file:\n        file.write('x')\n",
    "reads": "def main(argv):\n    open('/nowhere/x')\n",
    "fails": "from lab.load import LoadError\ndef main(argv):\n    raise LoadError('no\\nload')\n",
}


def planted(tmp_path: Path, name: str) -> dict:
    (tmp_path / f"{name}.py").write_text(MODULES[name])
    return {"args": ["/usr/bin/python3", "-m", "bench.command", "demo", name], "cwd": ROOT, "text": True,
            "env": os.environ | {"PYTHONPATH": f"{ROOT}:{tmp_path}", "PYTHONDONTWRITEBYTECODE": "1"}}


@pytest.mark.parametrize("which", (signal.SIGINT, signal.SIGTERM))
def test_stopped_in_one_line(tmp_path, which):
    with subprocess.Popen(stdout=subprocess.PIPE, stderr=subprocess.PIPE, **planted(tmp_path, "waits")) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(which)
        assert process.communicate(timeout=20)[1] == "demo: stopped\n"
    assert process.returncode == STOPPED


@pytest.mark.parametrize("name, said", (("writes", "No space left on device"), ("fails", "no load"),
                                        ("reads", "/nowhere/x: No such file or directory")))
def test_failed_in_one_line(tmp_path, name, said):
    done = subprocess.run(capture_output=True, timeout=20, check=False, **planted(tmp_path, name))
    assert (done.returncode, done.stderr) == (1, f"demo: {said}\n")


def test_an_installation_is_stopped_in_one_line(tree, system):
    """By Ctrl-C, which the terminal sends to all of them."""
    with subprocess.Popen(["./demo"], cwd=tree("clone"), stderr=subprocess.PIPE, text=True, start_new_session=True,
                          env=os.environ | {"PATH": system("case $* in *assume-no*) ;; *) sleep 60 ;; esac")}) as demo:
        first = demo.stderr.readline()
        time.sleep(0.5)
        os.killpg(demo.pid, signal.SIGINT)
        said = demo.communicate(timeout=20)[1]
    assert demo.returncode == STOPPED and first.startswith("demo: installing ") and said == "demo: stopped\n"


@pytest.mark.parametrize("table, argv, masked", (("avx2", [], True), ("c", [], False), ("avx2", ["--table=c"], False)))
def test_a_table_in_the_environment_is_that_of_both_sides(monkeypatch, table, argv, masked):
    monkeypatch.setattr(machine, "has_avx512", lambda: True)
    for name, value in zip(CPU, (table, "")):
        monkeypatch.setenv(name, value)
    seen = []
    monkeypatch.setattr(command, "module_of", lambda _: SimpleNamespace(
        main=lambda _: seen.append(tuple(os.environ[name] for name in CPU)) or 0))
    assert command.run("one", "two", argv) == 0
    assert seen == [(table, arguments.TABLES[table] if masked else "")]
