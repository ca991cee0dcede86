# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The other TLS stacks: which groups each has, how it asks nginx, and how it serves nginx.

A client or server is told to use one group only, so a handshake that succeeds has used it. Where the stack names the
group that it negotiated, that is read too.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab import cargo
from lab.programs import clean_environment
from tests.servers.interop import ours

HERE = Path(__file__).parent
REQUEST = "GET / HTTP/1.0\r\n\r\n"
# How each stack names its group: our programs, `openssl s_client`, `openssl s_server`, curl from 8.8 on, Chromium.
NAMED = re.compile(r'^(?:group|Negotiated TLS1\.3 group:|Shared groups:|.*SSL connection using \S+ / \S+ /) (\w+)'
                   r'|"key_exchange_group":(\d+)', re.MULTILINE)
CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--ignore-certificate-errors"]


@dataclass(frozen=True)
class Stack:
    """`client` fetches nginx's page with a group; `server` is a command that serves with it at the peer's port."""

    version: str
    groups: list[str]
    client: Callable[[str], str]
    server: Callable[[str], list[str]] | None = None
    env: dict[str, str] | None = None
    names_group: bool = True


@dataclass(frozen=True)
class Settings:
    site: ours.Site
    root: Path | None


def check_named(stack: Stack, said: str, group: str) -> None:
    """If the stack says what it negotiated, that must be the group."""
    found = NAMED.search(said)
    named = (found[1] or found[2]) if found else "no group"
    if stack.names_group and named.lower() not in (group.lower(), str(ours.GROUPS[group])):
        raise ours.Failure(f"{stack.version} took part with {named}")


def need(program: str) -> str:
    path = shutil.which(program)
    if not path:
        raise ours.Missing(f"{program} is not installed")
    return path


def own_program(program: Path, version: str, site: ours.Site) -> Stack:
    """Ours in another language: both take the same arguments."""
    env = clean_environment()

    def client(group: str) -> str:
        return ours.output([str(program), "client", group, str(site.fronts[group]), str(site.certificate)], env)

    def server(group: str) -> list[str]:
        return [str(program), "server", group, str(site.peer), str(site.certificate), str(site.key)]

    has = ours.output([str(program), "groups"], env).lower().split()
    return Stack(version, [group for group in ours.GROUPS if group.lower() in has], client, server, env)


def go(settings: Settings) -> Stack:
    """Its standard library alone, so building needs no network."""
    tool, program = need("go"), settings.site.build.folder / "interop/go"
    env = clean_environment() | {"GOPROXY": "off", "GOTOOLCHAIN": "local"}
    done = subprocess.run([tool, "build", "-buildvcs=false", "-o", str(program), "."], cwd=HERE / "go", env=env,
                          capture_output=True, text=True, check=False)
    if "requires go" in done.stderr.lower():
        raise ours.Missing(ours.reason(done.stderr))
    if done.returncode:
        raise ours.Failure(ours.reason(done.stderr))
    return own_program(program, ours.output([tool, "version"], env).split()[2], settings.site)


def rustls(settings: Settings) -> Stack:
    build, workspace = settings.site.build.folder, HERE / "rustls"
    if lacks := cargo.why_not(build, workspace):
        raise ours.Missing(lacks)
    done = cargo.run(build, "build", "--release", "--locked", "--offline", workspace=workspace)
    if done.returncode:
        raise ours.Failure(ours.reason(done.stderr))
    versions = dict(re.findall(r'name = "([\w-]+)"\nversion = "(.+)"', (workspace / "Cargo.lock").read_text()))
    return own_program(build / "cargo/release/interop",
                       " ".join(f"{name} {versions[name]}" for name in ("rustls", "aws-lc-rs")), settings.site)


def curl_client(command: list[str], env: dict[str, str], site: ours.Site) -> Callable[[str], str]:
    def client(group: str) -> str:
        return ours.output([*command, "-sSv", "--cacert", str(site.certificate), "--tlsv1.3", "--curves", group,
                            f"https://localhost:{site.fronts[group]}/"], env)

    return client


def curl(settings: Settings) -> Stack:
    """This machine's, which gets the groups from Octuple too where its OpenSSL has none."""
    env = clean_environment()
    version = ours.output([need("curl"), "--version"], env)
    command = [str(settings.site.build.octuple), "run", "--", "curl"]
    # Only curl from 8.8 on names the group; nginx does so in any case.
    return Stack(" ".join(version.split()[:2]), list(ours.GROUPS), curl_client(command, env, settings.site), env=env,
                 names_group=False)


def in_root(settings: Settings, program: str) -> tuple[list[str], dict[str, str]]:
    """A program of another Debian's, with that Debian's libraries: neither chroot nor root rights are needed."""
    if settings.root is None:
        raise ours.Missing("needs --root DIR, a folder with a Debian 13 or later")
    libraries = settings.root / "usr/lib/x86_64-linux-gnu"
    loader, path = settings.root / "lib64/ld-linux-x86-64.so.2", settings.root / "usr/bin" / program
    if not (loader.exists() and path.exists()):
        raise ours.Missing(f"{program} is not installed in {settings.root}")
    env = clean_environment() | {"OPENSSL_CONF": str(settings.root / "etc/ssl/openssl.cnf"),
                                 "OPENSSL_MODULES": str(libraries / "ossl-modules")}
    return [str(loader), "--library-path", str(libraries), str(path)], env


def groups_in_root(settings: Settings) -> list[str]:
    command, env = in_root(settings, "openssl")
    try:
        has = ours.output([*command, "list", "-tls1_3", "-tls-groups"], env).strip().split(":")
    except ours.Failure as failure:
        raise ours.Missing(f"OpenSSL in {settings.root} is before 3.5") from failure
    return [group for group in ours.GROUPS if group in has]


def root_curl(settings: Settings) -> Stack:
    command, env = in_root(settings, "curl")
    version = ours.output([*command, "--version"], env)
    return Stack(" ".join(version.split()[:2]), groups_in_root(settings), curl_client(command, env, settings.site),
                 env=env)


def root_openssl(settings: Settings) -> Stack:
    (command, env), site = in_root(settings, "openssl"), settings.site

    def client(group: str) -> str:
        return ours.output([*command, "s_client", "-connect", f"localhost:{site.fronts[group]}", "-groups", group,
                            "-CAfile", str(site.certificate), "-verify_return_error", "-ign_eof"], env, REQUEST)

    def server(group: str) -> list[str]:
        return [*command, "s_server", "-accept", f"127.0.0.1:{site.peer}", "-groups", group, "-www",
                "-cert", str(site.certificate), "-key", str(site.key)]

    version = ours.output([*command, "version"], env)
    return Stack(" ".join(version.split()[:2]), groups_in_root(settings), client, server, env)


def chromium(settings: Settings) -> Stack:
    """As it is, with the groups that it offers anyway. Its net log has the group's number."""
    program, env, site = need("chromium"), clean_environment(), settings.site
    profile, log = site.where / "chromium", site.where / "net.json"

    def client(group: str) -> str:
        page = ours.output([program, *CHROMIUM, f"--user-data-dir={profile}", f"--log-net-log={log}", "--dump-dom",
                            f"https://localhost:{site.fronts[group]}/"], env)
        return page + log.read_text(errors="replace")

    version = re.search(r"Chromium [\d.]+", ours.output([program, "--version"], env))
    return Stack(version[0] if version else "Chromium", ["X25519MLKEM768"], client, env=env)


STACKS: dict[str, Callable[[Settings], Stack]] = {"go": go, "rustls": rustls, "curl": curl, "chromium": chromium,
                                                  "root-curl": root_curl, "root-openssl": root_openssl}
