# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""Where octuple run keeps its OpenSSL configuration: shared, never growing, and nobody else's to write."""
import os
import pathlib
import shutil
import stat
import subprocess

import pytest


def stored(place, **env):
    found, result = place.run_env(env=env)
    assert result.returncode == 0, result.stderr
    return pathlib.Path(found["OPENSSL_CONF"])


BARE = {"XDG_RUNTIME_DIR": None, "RUNTIME_DIRECTORY": None, "CACHE_DIRECTORY": None, "HOME": None}


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


@pytest.fixture
def shared(served):
    """The beginning of names in /tmp that a user without a folder gets; what a test makes there is removed."""
    start = f"octuple-{65534 if served.as_root else os.geteuid()}"
    before = set(pathlib.Path("/tmp").glob(start + "*"))
    yield pathlib.Path("/tmp") / start
    for path in set(pathlib.Path("/tmp").glob(start + "*")) - before:
        remove(path)


def test_same_text_same_file(served):
    first, second = stored(served), stored(served)
    assert first == second and list(first.parent.iterdir()) == [first]


def test_other_text_other_file(served):
    first = stored(served)
    second = stored(served, OPENSSL_CONF=served.write("other.cnf", ""))
    assert set(first.parent.iterdir()) == {first, second}
    assert first.read_text() != second.read_text()


def test_change_of_the_original_needs_no_new_file(served):
    base = served.write("base.cnf", "a = b\n")
    first = stored(served, OPENSSL_CONF=base)
    base.write_text("c = d\n")
    assert stored(served, OPENSSL_CONF=base) == first


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777 & ~0o700])
def test_modes_do_not_depend_on_the_umask(served, umask):
    result = served.call("run", "--", "/usr/bin/printenv", "OPENSSL_CONF", umask=umask)
    path = pathlib.Path(result.stdout.strip())
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o755


def test_damaged_file_is_replaced(served):
    path = stored(served)
    text = path.read_text()
    for damage in ("", text[:-1], text + "x", text.replace("activate", "activatE")):
        path.write_text(damage)
        assert stored(served) == path and path.read_text() == text


def test_link_in_its_place_is_replaced_and_not_followed(served):
    path = stored(served)
    victim = served.write("victim", "precious")
    path.unlink()
    path.symlink_to(victim)
    assert stored(served) == path
    assert not path.is_symlink() and victim.read_text() == "precious"


def test_file_that_others_can_write_is_replaced(served):
    path = stored(served)
    path.chmod(0o666)
    stored(served)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_nothing_is_left_beside(served):
    children = [subprocess.Popen([served.folder / "bin/octuple", "run", "--", "/bin/true"],
                                 env=served.env, **served.user())
                for _ in range(8)]
    assert [child.wait(60) for child in children] == [0] * 8
    assert len(list((served.runtime / "octuple").iterdir())) == 1


@pytest.mark.parametrize("value", [None, "relative", "/no/such/folder"])
def test_without_a_folder_the_name_cannot_be_foreseen(served, shared, value):
    path = stored(served, **BARE | {"XDG_RUNTIME_DIR": value})
    assert str(path).startswith(f"{shared}-") and path.parent.parent == shared.parent
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o755
    # The sticky bit keeps systemd-tmpfiles from taking it.
    assert stat.S_IMODE(path.stat().st_mode) == 0o1644
    assert stored(served, **BARE) == path and list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("variable", ["RUNTIME_DIRECTORY", "CACHE_DIRECTORY"])
def test_folder_of_a_service(served, variable):
    folder = served.work / "service"
    folder.mkdir(0o700)
    if served.as_root:
        os.chown(folder, 65534, 65534)
    assert stored(served, **{variable: f"{folder}:/another/one"}).parent == folder / "octuple"


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
def test_folder_that_others_can_write_is_not_used(served, shared, mode):
    served.runtime.chmod(mode)
    assert str(stored(served)).startswith(f"{shared}-")


def squat(path, kind, served):
    if kind == "link":
        path.symlink_to(served.work)
    elif kind == "file":
        path.write_text("")
    else:
        path.mkdir()
        path.chmod(0o777)
        shutil.copy(served.folder / "copy.cnf", path / served.name)


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_what_somebody_else_puts_there_is_not_used(served, shared, kind):
    """Whether it was guessed, or seen while it was there and made anew after /tmp was cleaned."""
    if not served.as_root:
        pytest.skip("only root can make what belongs to somebody else")
    seen = stored(served, **BARE)
    served.name = seen.name
    shutil.copy(seen, served.folder / "copy.cnf")
    remove(seen.parent)
    for path in (shared, seen.parent):
        squat(path, kind, served)
    again = stored(served, **BARE)
    assert again.parent not in (shared, seen.parent) and again.parent.stat().st_uid == 65534
    assert not list(served.work.glob("openssl-*"))
    assert "octuple" in served.call("run", "--", "openssl", "list", "-providers", env=BARE).stdout


# The place in /tmp is seen as /mnt, in a mount namespace in which a user can write where the test lets them.
APART = """
mount --rbind "$1" /mnt || exit 99
for folder in /tmp /var/tmp /dev/shm /run; do mount -t tmpfs -o "$2" none "$folder" || exit 99; done
shift 2
cd / && exec setpriv --reuid 10001 --regid 10001 --clear-groups env -i PATH="$PATH" LD_LIBRARY_PATH=/mnt/lib "$@"
"""


def apart(served, mounts, *command):
    if not served.as_root:
        pytest.skip("only root can make a mount namespace")
    run = ["unshare", "--mount", "sh", "-c", APART, "sh", served.folder,
           mounts, "/mnt/bin/octuple", "run", "--", *command]
    result = subprocess.run(run, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode != 99, result.stderr
    return result


def test_without_any_place_the_command_runs_plainly(served):
    result = apart(served, "ro,mode=1777", "/usr/bin/env")
    assert result.returncode == 0
    assert "LD_PRELOAD" not in result.stdout and "OPENSSL_CONF" not in result.stdout
    assert result.stderr.startswith("octuple run: /usr/bin/env runs plainly, without Octuple: there is no safe place")
    assert "/tmp: Read-only file system" in result.stderr and result.stderr.count("\n") == 1


def test_place_without_programs(served):
    result = apart(served, "noexec,mode=1777", "openssl", "list", "-providers")
    assert result.returncode == 0 and result.stderr == "" and "octuple" in result.stdout


def test_place_that_others_could_rename_is_not_used(served):
    result = apart(served, "mode=0777", "/usr/bin/env")
    assert result.returncode == 0 and "LD_PRELOAD" not in result.stdout
    assert "/tmp: not a folder that belongs to this user alone" in result.stderr


def test_print_config_is_a_way_out(served):
    """What the message advises when there is no place works."""
    text = served.call("run", "--print-config").stdout
    own = served.write("own.cnf", text)
    result = apart(served, "ro,mode=1777", "sh", "-c", "echo")
    assert "--print-config" in result.stderr
    env, result = served.run_env(env={**BARE, "OPENSSL_CONF": own})
    assert result.returncode == 0 and env["OPENSSL_CONF"] == str(own) and env["LD_PRELOAD"] == str(served.shim)


def test_root_keeps_it_where_a_server_s_user_can_read(served):
    if not served.as_root:
        pytest.skip("not root")
    before = set(pathlib.Path("/run/octuple").glob("*"))
    result = subprocess.run([served.folder / "bin/octuple", "run", "--", "/usr/bin/printenv", "OPENSSL_CONF"],
                            env=served.env, capture_output=True, text=True, check=True)
    path = pathlib.Path(result.stdout.strip())
    try:
        assert path.parent == pathlib.Path("/run/octuple") and path.stat().st_uid == 0
        listed = subprocess.run(["openssl", "list", "-providers"], env={**served.env, "OPENSSL_CONF": str(path)},
                                capture_output=True, text=True, check=True, **served.user())
        assert "octuple" in listed.stdout
    finally:
        if path not in before:
            path.unlink()
        if not before:
            path.parent.rmdir()
