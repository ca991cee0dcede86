# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""packaging/apt: a repository of some packages, of which apt itself installs, by file:, signed and not."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTROL = """Package: {name}
Version: {version}
Architecture: amd64
Maintainer: Nobody <nobody@packages.invalid>
Description: a package for a test
"""

pytestmark = pytest.mark.skipif(not shutil.which("apt-ftparchive"), reason="apt-utils is not installed")


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    """Packages as a release has them."""
    folder = tmp_path / "release"
    folder.mkdir()
    for name, version in (("octuple-try", "0.1"), ("octuple-try", "0.2"), ("octuple-other", "0.2")):
        tree = tmp_path / f"{name}-{version}"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(CONTROL.format(name=name, version=version))
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, folder / f"{name}_{version}_amd64.deb"],
                       check=True, capture_output=True)
    return folder


@pytest.fixture(name="gpg")
def fixture_gpg(tmp_path):
    """A key made for the occasion; the environment that has it."""
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    env = os.environ | {"GNUPGHOME": str(home)}
    subprocess.run(["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "try@packages.invalid", "ed25519"],
                   env=env, check=True, capture_output=True)
    yield env
    subprocess.run(["gpgconf", "--kill", "all"], env=env, check=False, capture_output=True)


def make(folder, repository, *options, env=None):
    return subprocess.run([ROOT / "packaging/apt", *options, folder, repository], env=env, capture_output=True,
                          text=True, check=False)


def apt(tmp_path, repository, *words):
    """apt-get with a system of its own, whose only source is the repository's."""
    system = tmp_path / "system"
    for part in ("etc/apt/sources.list.d", "etc/apt/preferences.d", "etc/apt/trusted.gpg.d", "etc/apt/apt.conf.d",
                 "var/lib/dpkg", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial"):
        (system / part).mkdir(parents=True, exist_ok=True)
    (system / "var/lib/dpkg/status").touch()
    shutil.copy(repository / "octuple.sources", system / "etc/apt/sources.list.d")
    options = ["-o", f"Dir={system}", "-o", f"Dir::State::status={system}/var/lib/dpkg/status",
               "-o", "APT::Architecture=amd64", "-o", "APT::Sandbox::User=", "-o", "APT::Update::Error-Mode=any"]
    return subprocess.run(["apt-get", *options, *words], capture_output=True, text=True, check=False,
                          cwd=tmp_path, env=os.environ | {"LC_ALL": "C"})


@pytest.mark.parametrize("signed", (True, False))
def test_apt_takes_packages_of_it(tmp_path, folder, gpg, signed):
    repository = tmp_path / "repository"
    done = make(folder, repository, *(["--gpg", "try@packages.invalid"] if signed else []), env=gpg)
    assert done.returncode == 0, done.stderr
    updated = apt(tmp_path, repository, "update")
    assert updated.returncode == 0, updated.stdout + updated.stderr
    assert apt(tmp_path, repository, "-y", "download", "octuple-try").returncode == 0
    assert (tmp_path / "octuple-try_0.2_amd64.deb").read_bytes() == (folder / "octuple-try_0.2_amd64.deb").read_bytes()


def test_what_was_changed_is_not_taken(tmp_path, folder, gpg):
    repository = tmp_path / "repository"
    assert make(folder, repository, "--gpg", "try@packages.invalid", env=gpg).returncode == 0
    for name in ("InRelease", "Release"):
        path = repository / "dists/stable" / name
        path.write_text(path.read_text().replace("Label: Octuple", "Label: octuple"))
    assert apt(tmp_path, repository, "update").returncode != 0


def test_the_same_packages_give_the_same_index(tmp_path, folder, gpg):
    for name in ("one", "two"):
        assert make(folder, tmp_path / name, "--address", "https://packages.invalid", env=gpg).returncode == 0
    one, two = (sorted((tmp_path / name).rglob("Packages*")) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two] and len(one) == 2
    assert "URIs: https://packages.invalid\n" in (tmp_path / "one/octuple.sources").read_text()


def test_wrong_usage(tmp_path, folder):
    assert make(folder, tmp_path / "x", "--nonsense").returncode == 2
    assert "has no packages" in make(tmp_path / "gnupg-none", tmp_path / "x").stderr
