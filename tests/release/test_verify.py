# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""packaging/account and packaging/verify on a small made-up release, signed with a throw-away key: a changed byte in
any file is refused, by the file's name."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile

import pytest
from conftest import ROOT

from lab import golang

NAMES = ("octuple-0.0.0.tar.gz", "octuple_0.0.0_amd64.deb", "octuple-0.0.0-1.x86_64.rpm", "octuple-0.0.0-bundle.tar.gz",
         "octuple-jca-0.0.0.jar", "octuple-0.0.0.crate", "octuple-go-v0.0.0.zip")
COMMIT = "0123456789" * 4


def run(*command, **how):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=environment, **how)


def make_key(folder):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / "key"], check=True)
    public = (folder / "key.pub").read_text().strip()
    (folder / "signers").write_text(f'tester namespaces="octuple-release" {public}\n')


@pytest.fixture
def release(tmp_path):
    """A folder with a signed release; the key and the list of signers are beside it."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    folder = tmp_path / "release"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_bytes(name.encode() * 100)
    done = run(ROOT / "packaging/account", "records", folder, "0.0.0", COMMIT, ROOT, "urn:example:test")
    assert done.returncode == 0, done.stderr
    make_key(tmp_path)
    sign(folder)
    return folder


def sign(folder):
    (folder / "SHA256SUMS.sig").unlink(missing_ok=True)
    done = run("ssh-keygen", "-q", "-Y", "sign", "-f", folder.parent / "key", "-n", "octuple-release",
               folder / "SHA256SUMS")
    assert done.returncode == 0, done.stderr


def verify(folder, *files):
    return run(ROOT / "packaging/verify", "--signers", folder.parent / "signers", *(files or [folder]))


def refused(done, name):
    assert done.returncode == 1, done.stdout
    assert name in done.stderr, done.stderr


def test_a_good_release(release):
    done = verify(release)
    assert done.returncode == 0, done.stderr
    assert f"{len(NAMES) + 2} files are as released, signed by tester" in done.stdout
    done = verify(release, release / NAMES[1], release / NAMES[2])
    assert done.returncode == 0 and "2 files" in done.stdout, done.stderr


def test_a_changed_byte_in_any_file(release):
    for path in sorted(release.iterdir()):
        good = path.read_bytes()
        at = len(good) // 2
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
        refused(verify(release), path.name)
        path.write_bytes(good)
    assert verify(release).returncode == 0


def test_missing_and_added_files(release):
    (release / NAMES[0]).rename(release.parent / "away")
    refused(verify(release), NAMES[0])
    (release.parent / "away").rename(release / NAMES[0])
    (release / "more.deb").write_text("more")
    refused(verify(release), "more.deb")
    refused(verify(release, release / "more.deb"), "more.deb")
    (release / "more.deb").unlink()
    (release / "SHA256SUMS.sig").unlink()
    refused(verify(release), "SHA256SUMS.sig")


def test_signature_of_another_key_or_purpose(release):
    for name in ("key", "key.pub"):
        (release.parent / name).unlink()
    good = (release.parent / "signers").read_text()
    make_key(release.parent)
    (release.parent / "signers").write_text(good)
    sign(release)
    refused(verify(release), "SHA256SUMS.sig")
    public = (release.parent / "key.pub").read_text().strip()
    (release.parent / "signers").write_text(f'tester namespaces="git" {public}\n')
    refused(verify(release), "SHA256SUMS")


@pytest.mark.parametrize("record", ("spdx", "provenance"))
def test_records_of_other_files(release, record):
    """Signed as it is, but speaking of another file."""
    path = release / f"octuple-0.0.0.{record}.json"
    text = path.read_text()
    digest = re.search(r"[0-9a-f]{64}", text[text.index(NAMES[0]):])[0]
    path.write_text(text.replace(digest, "0" * 64))
    names = sorted(p.name for p in release.iterdir() if "SHA256SUMS" not in p.name)
    (release / "SHA256SUMS").write_text(run("sha256sum", *names, cwd=release).stdout)
    sign(release)
    refused(verify(release), path.name)


def test_records_depend_on_nothing_but_the_files(release):
    """... and say what they have to."""
    names = [f"octuple-0.0.0.{record}.json" for record in ("spdx", "provenance")]
    before = [(release / name).read_bytes() for name in (*names, "SHA256SUMS")]
    run(ROOT / "packaging/account", "records", release, "0.0.0", COMMIT, ROOT, "urn:example:test")
    assert [(release / name).read_bytes() for name in (*names, "SHA256SUMS")] == before
    statement = json.loads(before[1])
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    assert {part["name"] for part in statement["subject"]} == {*NAMES, names[0]}
    assert statement["predicate"]["buildDefinition"]["resolvedDependencies"][0]["digest"]["gitCommit"] == COMMIT


def test_provenance_has_what_was_fetched(release, tmp_path):
    """... for this build alone: packages that are not installed."""
    package = tmp_path / "libssl-dev_1%3a4.0.3-1_amd64.deb"
    package.write_text("package")
    done = run(ROOT / "packaging/account", "records", release, "0.0.0", COMMIT, ROOT, "urn:example:test", package)
    assert done.returncode == 0, done.stderr
    made_of = json.loads((release / "octuple-0.0.0.provenance.json").read_text())["predicate"]["buildDefinition"]
    found = made_of["resolvedDependencies"][-1]
    assert found["uri"].startswith("pkg:deb/debian/libssl-dev@1%3A4.0.3-1")
    assert found["digest"]["sha256"] == hashlib.sha256(b"package").hexdigest()


def test_sbom_is_spdx(release):
    """By the SPDX project's own tool, where it is installed (PyPI: spdx-tools)."""
    tool = pytest.importorskip("spdx_tools.spdx.parser.parse_anything", reason="spdx-tools is not installed")
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document  # noqa: PLC0415
    document = tool.parse_file(str(release / "octuple-0.0.0.spdx.json"))
    assert validate_full_spdx_document(document) == []
    assert len(document.packages) > len(NAMES) + 5


def test_minisign(release):
    if shutil.which("minisign") is None:
        pytest.skip("minisign is not installed")
    secret, public = release.parent / "mini.key", release.parent / "mini.pub"
    assert run("minisign", "-G", "-W", "-p", public, "-s", secret).returncode == 0
    signature = release / "SHA256SUMS.minisig"
    assert run("minisign", "-S", "-s", secret, "-m", release / "SHA256SUMS", "-x", signature).returncode == 0
    done = run(ROOT / "packaging/verify", "--minisign-key", public, release)
    assert done.returncode == 0, done.stderr
    (release / "SHA256SUMS").write_text((release / "SHA256SUMS").read_text().replace("a", "b", 1))
    refused(run(ROOT / "packaging/verify", "--minisign-key", public, release), "SHA256SUMS")


def test_go_archive(tmp_path):
    target = tmp_path / "go.zip"
    for _ in range(2):
        done = run(ROOT / "packaging/account", "go", ROOT / "bindings/go", "v0.0.0", target)
        assert done.returncode == 0, done.stderr
    names = zipfile.ZipFile(target).namelist()
    assert names == sorted(names[:-1]) + [names[-1]]
    assert all(name.startswith("octuple.example/bindings/go@v0.0.0/") for name in names)
    assert names[-1].endswith("/LICENSE") and not any("/caddy/" in name for name in names)


def test_go_get_takes_the_archive(tmp_path):
    """From a module proxy, as one that has the release would give it: here a folder."""
    if shutil.which("go") is None or golang.too_old(run("go", "version").stdout):
        pytest.skip("no go that the binding needs")
    name, version = "octuple.example/bindings/go", "v0.2.0"
    proxy = tmp_path / "proxy" / name / "@v"
    proxy.mkdir(parents=True)
    done = run(ROOT / "packaging/account", "go", ROOT / "bindings/go", version, proxy / f"{version}.zip")
    assert done.returncode == 0, done.stderr
    shutil.copy(ROOT / "bindings/go/go.mod", proxy / f"{version}.mod")
    (proxy / f"{version}.info").write_text(json.dumps({"Version": version}))
    (proxy / "list").write_text(f"{version}\n")
    program = tmp_path / "program"
    program.mkdir()
    (program / "main.go").write_text('package main\n\nimport _ "octuple.example/bindings/go"\n\nfunc main() {}\n')
    settings = {"GOPROXY": f"file://{tmp_path}/proxy", "GONOSUMDB": name, "GOMODCACHE": str(tmp_path / "modules"),
                "GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "local"}
    for arguments in (("mod", "init", "example.com/program"), ("get", f"{name}@latest"), ("build", "-o", "program")):
        done = subprocess.run(["go", *arguments], cwd=program, env=os.environ | settings, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert f"{name} {version}" in (program / "go.mod").read_text()
    assert (program / "program").exists()
