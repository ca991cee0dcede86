# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
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


@pytest.fixture
def fallback(served):
    """The folder in /tmp that is used without a runtime folder; it must not be a real user's."""
    folder = pathlib.Path(f"/tmp/octuple-{65534 if served.as_root else os.geteuid()}")
    if folder.exists():
        pytest.skip(f"{folder} is in use on this machine")
    yield folder
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


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
    children = [subprocess.Popen([served.folder / "bin/octuple", "run", "--", "/bin/true"], env=served.env, **served.user())
                for _ in range(8)]
    assert [child.wait(60) for child in children] == [0] * 8
    assert len(list((served.runtime / "octuple").iterdir())) == 1


def test_fallback_without_runtime_folder(served, fallback):
    assert stored(served, XDG_RUNTIME_DIR=None).parent == fallback
    assert stored(served, XDG_RUNTIME_DIR="relative").parent == fallback
    assert stored(served, XDG_RUNTIME_DIR="/no/such/folder").parent == fallback
    assert stat.S_IMODE(fallback.stat().st_mode) == 0o755


def test_runtime_folder_that_others_can_write_is_not_used(served, fallback):
    served.runtime.chmod(0o777)
    assert stored(served).parent == fallback


def test_folder_of_somebody_else_is_not_used(served, fallback):
    if not served.as_root:
        pytest.skip("only root can make a folder that belongs to somebody else")
    fallback.mkdir(mode=0o777)
    result = served.call("run", "--", "/bin/true", env={"XDG_RUNTIME_DIR": None})
    assert result.returncode == 125
    assert f"{fallback}: not a folder that belongs to you alone" in result.stderr
    assert "--print-config" in result.stderr and not any(fallback.iterdir())


def test_link_to_a_folder_is_not_used(served, fallback):
    fallback.symlink_to(served.work)
    result = served.call("run", "--", "/bin/true", env={"XDG_RUNTIME_DIR": None})
    assert result.returncode == 125 and not list(served.work.glob("openssl-*"))


def test_print_config_is_a_way_out(served, fallback):
    """What the message advises when there is no place works."""
    fallback.symlink_to(served.work)
    text = served.call("run", "--print-config").stdout
    own = served.write("own.cnf", text)
    env, result = served.run_env(env={"XDG_RUNTIME_DIR": None, "OPENSSL_CONF": own})
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
