# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The Kubernetes examples and what the Helm chart makes, against the schemas of Kubernetes' own API.

The schemas are those of the Python package kubernetes-validate (and PyYAML); the command `helm` renders the chart. What
is missing is skipped with the reason. Resources that are no part of Kubernetes itself have no schema there: of
NginxProxy the patch is checked, as the deployment that it is merged into. Manifests with an error in each place must
be refused, or the check would be worthless.

usage: tests/places/container/manifests.py
"""

from __future__ import annotations

import copy
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[3] / "packaging/container"
PRELOAD = "/$LIB/liboctuple-async.so"

try:
    import kubernetes_validate
    import yaml
except ImportError:
    print("manifests: SKIPPED: no schemas: pip install kubernetes-validate")
    sys.exit(77)


class Wrong(Exception):
    """A manifest that no cluster would take, or that would not do what it is for."""


def pods(document: dict) -> list[dict]:
    spec = document.get("spec", {}).get("template", {}).get("spec")
    return [spec] if spec else []


def as_deployment(patch: dict) -> dict:
    """The deployment that a strategic merge makes of the patch and the least that there must be."""
    deployment = copy.deepcopy(patch)
    deployment.update({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "patched"}})
    deployment["spec"]["selector"] = {"matchLabels": {"app": "patched"}}
    deployment["spec"]["template"].setdefault("metadata", {"labels": {"app": "patched"}})
    return deployment


def of_kubernetes(document: dict) -> list[dict]:
    if document["kind"] == "NginxProxy":
        patches = document["spec"]["kubernetes"]["deployment"]["patches"]
        return [as_deployment(patch["value"]) for patch in patches]
    return [] if document["kind"] == "Gateway" else [document]


def check_pod(pod: dict) -> None:
    """What a schema cannot know: names that refer to each other, and the variable below the bundle's mount."""
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    for container in pod.get("initContainers", []) + pod["containers"]:
        for mount in container.get("volumeMounts", []):
            if mount["name"] not in volumes:
                raise Wrong(f"no volume {mount['name']}")
    for container in pod["containers"]:
        if container["name"] not in container.get("image", container["name"]):
            raise Wrong(f"{container['name']} is to run from {container['image']}")
        mounts = {mount["name"]: mount["mountPath"] for mount in container.get("volumeMounts", [])}
        given = {one["name"]: one.get("value") for one in container.get("env", [])}
        place = mounts.get("octuple")
        if place is None or given.get("LD_PRELOAD") != place + PRELOAD:
            raise Wrong("LD_PRELOAD is not the shim in the mounted bundle")
        if "OPENSSL_CONF" in given or "LD_AUDIT" in given:
            raise Wrong("one variable is enough")


def check_service(service: dict, documents: list[dict]) -> None:
    """It leads to a port of pods that are there."""
    wanted = service["spec"]["selector"].items()
    pods = [one["spec"]["template"] for one in documents if one["kind"] == "Deployment"]
    ports = {port["containerPort"] for pod in pods if wanted <= pod["metadata"]["labels"].items()
             for container in pod["spec"]["containers"] for port in container["ports"]}
    if not {port["targetPort"] for port in service["spec"]["ports"]} <= ports:
        raise Wrong("the service leads nowhere")


def check(text: str) -> int:
    count = 0
    documents = [one for one in yaml.safe_load_all(text) if one]
    for one in documents:
        if one["kind"] == "Service":
            check_service(one, documents)
    for document in documents:
        for one in of_kubernetes(document):
            try:
                kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)
            except kubernetes_validate.ValidationError as error:
                raise Wrong(str(error).splitlines()[0]) from error
            for pod in pods(one):
                check_pod(pod)
                count += 1
    if count == 0:
        raise Wrong("there is no pod in it")
    return count


def render(*settings: str) -> str:
    command = ["helm", "template", "try", str(HERE / "helm/octuple")]
    for setting in settings:
        command += ["--set", setting]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


# What is put into a manifest, in the place of what is there.
ERRORS = [
    ("reference:", "references:"), ("mountPath: /octuple", "mountpath: /octuple"), ("replicas: 1", "replicas: one"),
    ("/octuple/$LIB/", "/elsewhere/$LIB/"), ("name: LD_PRELOAD", "name: LD_AUDIT"),
    ("kind: Deployment", "kind: Deploy"),
    ("containers:", "container:"), ("containerPort: 8443", "containerPort: tls"), ("emptyDir: {}", "emptyDir: 1"),
    ("targetPort: 8443", "targetPort: 8080"), ("image: docker.io/library/haproxy", "image: docker.io/library/nginx"),
]


def check_errors(name: str, text: str) -> int:
    refused = 0
    for right, wrong in ERRORS:
        if right not in text:
            continue
        try:
            check(text.replace(right, wrong))
        except (Wrong, KeyError, TypeError, kubernetes_validate.SchemaNotFoundError):
            refused += 1
        else:
            raise Wrong(f"{name} with {wrong!r} was not refused")
    return refused


def main() -> int:
    manifests = {path.name: path.read_text() for path in sorted((HERE / "kubernetes").glob("*.yaml"))}
    if shutil.which("helm"):
        manifests["chart, nginx, image volume"] = render()
        manifests["chart, HAProxy, init container"] = render("server=haproxy", "octuple.volume=init")
    else:
        print("manifests: SKIPPED: the chart: no command helm")
    try:
        for name, text in manifests.items():
            print(f"manifests: {name}: {check(text)} pods, {check_errors(name, text)} errors refused")
    except (Wrong, subprocess.CalledProcessError) as error:
        print(f"manifests: {name}: {error}")
        return 1
    print(f"manifests: good, by the schemas of Kubernetes {kubernetes_validate.latest_version()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
