# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The bindings bear the name of one owner, and the jar's project has what Maven Central refuses to be without."""
import re
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAVEN = {"": "http://maven.apache.org/POM/4.0.0"}
POM = xml.parse(ROOT / "bindings/java/pom.xml")


def host():
    """Of the Go module: where `go get` would fetch it."""
    return re.search(r"^module ([^/\s]+)", (ROOT / "bindings/go/go.mod").read_text(), re.M)[1]


def test_one_owner():
    """Maven Central gives a groupId to who has the domain that it reverses."""
    owner = host()
    assert "." in owner
    assert POM.find("groupId", MAVEN).text.split(".") == owner.split(".")[::-1]
    assert f"`{POM.find('groupId', MAVEN).text}:octuple-jca`" in (ROOT / "bindings/java/README.md").read_text()


@pytest.mark.parametrize("member", ("name", "description", "url", "licenses/license/url", "developers/developer/name",
                                    "scm/connection", "scm/url"))
def test_what_central_reads(member):
    assert POM.findtext(member, "", MAVEN).strip()


@pytest.mark.parametrize("plugin", ("source", "javadoc", "gpg"))
def test_what_central_wants_beside_the_jar(plugin):
    found = POM.findall("profiles/profile[id='central']//plugin/artifactId", MAVEN)
    assert f"maven-{plugin}-plugin" in [name.text for name in found]
