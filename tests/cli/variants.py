# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Configurations of OpenSSL as administrators write them, and some as they should not: every choice alone, and drawn
mixtures of all."""
from __future__ import annotations

import random
from dataclasses import dataclass, field

MIXTURES = 60
ACTIVE = "activate = 1"
# By what a choice is about: its name, lines for the main section, and sections. {folder}: where other files may lie.
CHOICES: dict[str, dict[str, tuple[list[str], dict[str, list[str]]]]] = {
    "providers": {
        "none": ([], {}),
        "default": (["providers = p"], {"p": ["default = d"], "d": [ACTIVE]}),
        "default-off": (["providers = p"], {"p": ["default = d"], "d": ["# activate = 1"]}),
        "legacy-too": (["providers = p"], {"p": ["default = d", "legacy = l"], "d": [ACTIVE], "l": [ACTIVE]}),
        "legacy-alone": (["providers = p"], {"p": ["legacy = l"], "l": [ACTIVE]}),
        "legacy-off": (["providers = p"], {"p": ["legacy = l"], "l": []}),
        "base-alone": (["providers = p"], {"p": ["base = b"], "b": [ACTIVE]}),
        "null": (["providers = p"], {"p": ["null = n"], "n": [ACTIVE]}),
        "numbered": (["providers.7 = p"], {"p": ["1.default = d", "2.legacy = l"], "d": [ACTIVE], "l": [ACTIVE]}),
        "identity": (["providers = p"], {"p": ["mine = d"], "d": ["identity = default", ACTIVE]}),
        "missing-module": (["providers = p"], {"p": ["gone = g", "default = d"], "g": ["module = /no/such.so", ACTIVE],
                                               "d": [ACTIVE]}),
        "missing-section": (["providers = nowhere"], {}),
        "activate-no": (["providers = p"], {"p": ["default = d", "base = b"], "d": ["activate = no"], "b": [ACTIVE]}),
        "other-in-front": (["providers = p"], {"p": ["aother = a", "default = d"], "a": ["module = {other}", ACTIVE],
                                               "d": [ACTIVE]}),
        "other-behind": (["providers = p"], {"p": ["zother = z", "default = d"], "z": ["module = {other}", ACTIVE],
                                             "d": [ACTIVE]}),
        "other-alone": (["providers = p"], {"p": ["aother = a"], "a": ["module = {other}", ACTIVE]}),
        "other-off": (["providers = p"], {"p": ["zother = z"], "z": ["module = {other}"]}),
        "switches-of-ours": (["providers = p"], {"p": ["default = d", "octuple = o"], "d": [ACTIVE],
                                                 "o": ["module = {module}", "x25519 = off"]}),
    },
    "properties": {
        "none": ([], {}),
        **{name: (["alg_section = a"], {"a": [f"default_properties = {query}"]}) for name, query in {
            "empty": "", "maybe-fips": "?fips=yes", "no-fips": "fips=no", "fips": "fips=yes", "minus-fips": "-fips",
            "legacy": "?provider=legacy", "only-default": "provider=default", "two": "?x.y=z, fips=no",
            "other": "?provider=other", "ours": "?octuple.serves=yes", "not-ours": "octuple.serves!=yes",
            "broken": "=="}.items()},
        "fips-mode": (["alg_section = a"], {"a": ["fips_mode = yes"]}),
        "fips-mode-off": (["alg_section = a"], {"a": ["fips_mode = no"]}),
    },
    "tls": {
        "none": ([], {}),
        **{name: (["ssl_conf = s"], {"s": ["system_default = t"], "t": lines}) for name, lines in {
            "min12": ["MinProtocol = TLSv1.2"], "min13": ["MinProtocol = TLSv1.3"], "max12": ["MaxProtocol = TLSv1.2"],
            "range": ["MinProtocol = TLSv1.2", "MaxProtocol = TLSv1.2", "CipherString = ECDHE+AESGCM:@SECLEVEL=2"],
            "ciphers": ["CipherString = ECDHE-RSA-AES256-GCM-SHA384:@SECLEVEL=1"],
            "suites": ["Ciphersuites = TLS_CHACHA20_POLY1305_SHA256"], "groups": ["Groups = P-256:X25519"],
            "curves": ["Curves = X448"], "prefixed": ["x.groups = P-384"], "one-group": ["Groups = X25519"],
            "no-such-group": ["Groups = P-256:nonsense"], "level3": ["CipherString = DEFAULT@SECLEVEL=3"],
            "sigalgs": ["SignatureAlgorithms = RSA-PSS+SHA256:ECDSA+SHA256"],
            "options": ["Options = PrioritizeChaCha,-SessionTicket", "VerifyMode = Peer"],
            "nonsense": ["NoSuchCommand = 1"], "empty-value": ["Groups ="]}.items()},
        "no-default": (["ssl_conf = s"], {"s": ["other = t"], "t": ["Groups = P-256"]}),
        "missing": (["ssl_conf = nowhere"], {}),
    },
    "engines": {
        "none": ([], {}),
        "missing": (["engines = e"], {"e": ["gone = g"], "g": ["engine_id = gone", "dynamic_path = /no/engine.so",
                                                               "init = 1"]}),
        "built-in": (["engines = e"], {"e": ["rdrand = r"], "r": ["engine_id = rdrand", "init = 1"]}),
        "missing-section": (["engines = nowhere"], {}),
    },
    "more": {
        "none": ([], {}),
        "random": (["random = r"], {"r": ["random = HASH-DRBG", "digest = SHA512"]}),
        "oids": (["oid_section = n"], {"n": ["myOid = 1.2.3.4.5.6"]}),
        "unknown-module": (["no_such_module = n"], {"n": ["a = b"]}),
    },
    "file": {
        "plain": ([], {}), "diagnostics": ([], {}), "no-root": ([], {}), "root-missing": ([], {}), "include": ([], {}),
        "include-missing": ([], {}), "include-folder": ([], {}), "no-equal-sign": ([], {}), "no-variable": ([], {}),
        "dollars": ([], {}), "no-newline": ([], {}), "unreadable": ([], {}), "gone": ([], {}), "empty-name": ([], {}),
        "binary": ([], {}),
    },
}
# What a program does before, and how it asks: see probe.c.
PROGRAMS = ["", "own", "key", "noconfig", "load=legacy", "load=base", "load=default", "load=null",
            "properties=fips=yes",
            "properties=?provider=default", "query=provider=default", "query=?fips=yes", "query=fips=yes",
            "load=default load=legacy properties=-fips"]


@dataclass
class Variant:
    choice: dict[str, str] = field(default_factory=lambda: {about: next(iter(all_)) for about, all_ in CHOICES.items()})
    program: str = ""

    @property
    def name(self) -> str:
        said = [f"{about}:{name}" for about, name in self.choice.items() if name != next(iter(CHOICES[about]))]
        return ",".join([*said, *([self.program] if self.program else [])]) or "plain"

    def text(self, places: dict[str, str]) -> str:
        lines: list[str] = []
        sections: dict[str, list[str]] = {}
        for about, name in self.choice.items():
            main, more = CHOICES[about][name]
            lines += main
            sections |= more
        body = "".join(f"[{name}]\n" + "".join(f"{line}\n" for line in [*rows, ""]) for name, rows in
                       {"init": lines, **sections}.items())
        for name, place in places.items():
            body = body.replace("{" + name + "}", place)
        return body


def all_variants() -> list[Variant]:
    """Made anew each time, and the same."""
    draw = random.Random(8)
    made = [Variant()]
    for about, names in CHOICES.items():
        for name in list(names)[1:]:
            made.append(Variant({**Variant().choice, about: name}))
    made += [Variant(program=program) for program in PROGRAMS[1:]]
    # Providers serve in the order in which a program has loaded them.
    made += [Variant({**Variant().choice, "providers": "other-off"}, program)
             for program in ("load=zother load=default", "load=default load=zother")]
    sane = ["plain", "diagnostics", "include", "dollars", "no-newline"]
    for _ in range(MIXTURES):
        choice = {about: draw.choice(list(names)) for about, names in CHOICES.items()}
        made.append(Variant({**choice, "file": draw.choice(sane)}, draw.choice(PROGRAMS)))
    return made
