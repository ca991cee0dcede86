# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""OpenSSL's source as Debian has it, and what the tests need of it, built once and kept.

The system's apt is asked where its packages come from; lists of sources, and all else that apt would write, lie in a
folder of their own. Nothing of OpenSSL gets into this project's tree but below build/.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
# As Debian configures it, but with the algorithms that it leaves out for their patents of old:
# tests use the digest MDC-2.
OPTIONS = ("shared", "no-zlib", "no-ssl3", "no-ssl3-method", "enable-unit-test",
           "enable-rfc3779", "enable-cms", "no-capieng",
           "no-rdrand", "--prefix=/usr", "--openssldir=/usr/lib/ssl")
LIBRARIES = ("libcrypto", "libssl")
TOOLS = {"gcc": "gcc", "make": "make", "perl": "perl", "dpkg-source": "dpkg-dev"}


class SourceError(Exception):
    """There is no such source, or it cannot be built; the text says why."""


@dataclass
class Tree:
    """A source, and the folder where it is built."""

    version: str  # "3.0.20"
    folder: Path  # in the cache; all that is made of this version is in it
    source: Path

    @property
    def built(self) -> Path:
        return self.folder / "build"

    @property
    def static(self) -> Path:
        return self.folder / "static"

    @property
    def release(self) -> str:
        return ".".join(self.version.split(".")[:2])


@dataclass
class Offer:
    """A line of `apt-cache madison`."""

    version: str
    uri: str
    suite: str
    component: str


def output(*command: str) -> str:
    try:
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def offers() -> list[Offer]:
    """What the system's archives have; first what is installed, for which the provider here was made."""
    result = []
    for line in output("apt-cache", "madison", "openssl").splitlines():
        fields = [field.strip() for field in line.split("|")]
        where = re.match(r"(\S+) ([^/ ]+)/(\S+) ", fields[2]) if len(fields) == 3 else None
        if where:
            result.append(Offer(fields[1], *where.groups()))
    installed = output("dpkg-query", "-W", "-f=${Version}", "openssl")
    return sorted(result, key=lambda offer: offer.version != installed)


def installed_release() -> str:
    found = re.match(r"OpenSSL (\d+\.\d+)", output("openssl", "version"))
    if not found:
        raise SourceError("there is no command openssl whose version could be looked up; name a source with --source")
    return found.group(1)


def version_of(source: Path) -> str:
    try:
        pairs = dict(line.split("=", 1) for line in (source / "VERSION.dat").read_text().splitlines() if "=" in line)
        return f"{pairs['MAJOR']}.{pairs['MINOR']}.{pairs['PATCH']}"
    except (OSError, KeyError) as error:
        raise SourceError(f"{source} is no source of OpenSSL 3 or later: {error}") from error


def check_tools() -> None:
    missing = sorted({package for tool, package in TOOLS.items() if not shutil.which(tool)})
    if missing:
        raise SourceError("these packages are missing: " + " ".join(missing))


def cached(cache: Path, release: str) -> Tree | None:
    """The source of an earlier run."""
    trees = [Tree(version_of(source), source.parent, source) for source in cache.glob(f"{release}.*/source")]
    return max(trees, key=lambda tree: int(tree.version.split(".")[2]), default=None)


def apt_get(where: Path, offer: Offer, *words: str) -> subprocess.CompletedProcess:
    """apt with one archive of sources, that of this offer."""
    signed = f" [signed-by={KEYRING}]" if KEYRING.exists() else ""
    (where / "sources.list").write_text(f"deb-src{signed} {offer.uri} {offer.suite} {offer.component}\n")
    (where / "lists/partial").mkdir(parents=True, exist_ok=True)
    (where / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
    settings = [f"Dir::Etc::sourcelist={where}/sources.list", "Dir::Etc::sourceparts=-",
                f"Dir::State::lists={where}/lists",
                f"Dir::Cache={where}/cache"]
    if os.geteuid() == 0:
        settings.append("APT::Sandbox::User=root")  # another user could not write into a temporary folder of ours
    options = [word for setting in settings for word in ("-o", setting)]
    return subprocess.run(["apt-get", "-q", *options, *words], cwd=where, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=900)


def fetch_one(cache: Path, offer: Offer) -> str:
    """Puts the source into the cache. Returns what apt said where it cannot be had, as a package that has just gone."""
    with tempfile.TemporaryDirectory(prefix="octuple-openssl-") as name:
        where = Path(name)
        for words in (("update",), ("source", f"openssl={offer.version}")):
            try:
                done = apt_get(where, offer, *words)
            except subprocess.TimeoutExpired:
                return f"{offer.version}: apt-get {words[0]} did not end in time"
            if done.returncode != 0:
                return f"{offer.version}: " + "\n".join(done.stdout.strip().splitlines()[-3:])
        source = next((path.parent for path in where.glob("openssl-*/VERSION.dat")), None)
        if source is None:
            return f"{offer.version}: apt-get source unpacked nothing"
        folder = cache / offer.version
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.move(source, folder / "part")
        (folder / "part").rename(folder / "source")
    return ""


def fetch(cache: Path, say) -> Tree:
    """The source that belongs to the OpenSSL that is installed here, or to the nearest patch level that there is."""
    release = installed_release()
    found = cached(cache, release)
    failures = []
    for offer in offers() if found is None else []:
        if not offer.version.startswith(release + "."):
            continue
        say(f"fetching the source of OpenSSL {offer.version}")
        failure = fetch_one(cache, offer)
        if not failure:
            found = cached(cache, release)
            break
        failures.append(failure)
    if found is None:
        raise SourceError("\n".join([f"no source of OpenSSL {release} can be had", *failures]))
    return found


def given(cache: Path, source: Path) -> Tree:
    version = version_of(source)
    return Tree(version, cache / f"{version}-given", source.resolve())


def logged(command: list[str], tree: Tree, where: Path) -> None:
    log = tree.folder / "build.log"
    with log.open("a") as out:
        done = subprocess.run(command, cwd=where, stdout=out, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise SourceError(f"OpenSSL {tree.version} could not be built, see {log}:\n{tail}")


def configure(tree: Tree, where: Path) -> None:
    options = list(OPTIONS)
    if "debian-amd64" in "".join(path.read_text() for path in tree.source.glob("Configurations/*debian*.conf")):
        options += ["enable-ec_nistp_64_gcc_128", "debian-amd64"]
    noted, note = f"{tree.source} {' '.join(options)}", where / "octuple-options"
    if note.exists() and note.read_text() == noted:
        return
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    logged(["perl", str(tree.source / "Configure"), *options], tree, where)
    note.write_text(noted)


def export_all(tree: Tree) -> None:
    """Tests of inner functions are linked with static libraries. A program that loads providers is not like that: it
    would have libcrypto twice, and no call of it would meet the shim. So the shared libraries export everything, and
    what is called libcrypto.a leads the linker to them. One name is hidden even so: the list of the CPU's features,
    which is empty for the code that is linked statically.
    """
    part = tree.built / "test/octuple_cpu.o"
    if not part.exists():
        text = f"echo 'unsigned OPENSSL_ia32cap_P[16];' | gcc -fPIC -x c -c -o {shlex.quote(str(part))} -"
        logged(["sh", "-c", text], tree, tree.built)
    for name, more in (("libcrypto", f" {part}"), ("libssl", "")):
        exports = tree.built / f"{name}.ld"
        text = exports.read_text()
        if "local: *;" in text:
            exports.write_text(text.replace("local: *;", ""))
        archive, script = tree.built / f"{name}.a", f"INPUT({tree.built / name}.so{more})\n"
        if not archive.exists() or archive.read_bytes() != script.encode():
            archive.write_text(script)


def build(tree: Tree, programs: list[str], jobs: int) -> None:
    """The libraries, modules and these programs, all on the shared libraries. make knows what is there already."""
    configure(tree, tree.built)
    make = ["make", "-s", f"-j{jobs}", "-o", "libcrypto.a", "-o", "libssl.a"]
    logged([*make, "build_generated", *(f"{name}.ld" for name in LIBRARIES)], tree, tree.built)
    export_all(tree)
    logged([*make, *(f"{name}.so" for name in LIBRARIES)], tree, tree.built)
    logged([*make, "apps/openssl", "engines/dasync.so", "providers/legacy.so", *(f"test/{name}" for name in programs)],
           tree, tree.built)


def build_static(tree: Tree, programs: list[str], jobs: int) -> list[str]:
    """Of these programs, those that OpenSSL's makefile links with static libraries, just so.
    Returns which these are."""
    configure(tree, tree.static)
    makefile = (tree.static / "Makefile").read_text().replace("\\\n", " ")
    rules = re.findall(r"^test/(\w+): .*\blibcrypto\.a\b", makefile, re.MULTILINE)
    names = [name for name in programs if name in rules]
    make = ["make", "-s", f"-j{jobs}"]
    logged([*make, "build_generated"], tree, tree.static)
    logged([*make, *(f"test/{name}" for name in names)], tree, tree.static)
    return names
