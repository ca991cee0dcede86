# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Which functions of kernels are proved, and which are not: the table of coverage.md, from the list in families.py.

A function is proved if the driver of a family that stands for its object enters it while a claim is recorded. One that
is not has to have its reason in unproved.txt. Operations are calls of vector operations as they are written.

usage: coverage.py [--write | --missing]   without: fails where the table is stale, or a function has neither
"""
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from families import FAMILIES
from prove import HERE, ROOT, build, records

OPERATION = re.compile(r"\b(?:v8|m8|w8|u32x16|words|quads|digit|wide|i16x32|i32x16|sum32x16|sum64x16|bv|b1)"
                       r"_[a-z0-9_]+ ?\(")
NO_OPERATION = re.compile(r"_(?:load\w*|store\w*|set1|zero|clear_registers|proved_bound|argument_bound) ?\($")
HEAD = "| kernel | entries | functions | proved | operations | proofs | not proved |"
DOCUMENT = Path(HERE, "coverage.md")


def functions(source):
    """name -> (how many vector operations, whether others call it) of the functions of kernels in an object: of
    ChaCha20-Poly1305 and RSA's primes in both of their forms."""
    if source.parts[-2] == "chacha":
        return functions_in(source, "BOUND") | functions_in(source, "BOUND", "-DOCT_WHOLE_PRODUCTS")
    if "OCT_ROWS" in source.read_text():
        return functions_in(source, "BOUND", "-DOCT_ROWS") | functions_in(source, "BOUND")
    return functions_in(source, "C" if source.parts[-2] in ("gcm", "sm4") else "BOUND")


def functions_in(source, backend, *defines):
    text = subprocess.run(["gcc", "-std=gnu17", "-E", f"-DOCT_BACKEND_{backend}", *defines,
                           f"-I{ROOT}/src", f"-I{ROOT}/include", str(source)],
                          check=True, capture_output=True, text=True).stdout
    found, name, body, here = {}, None, [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            here = "src/kernels/" in marker[1]
        elif not here:
            continue
        elif name is None:
            if re.match(r"[a-zA-Z].*\(|[a-zA-Z_ ]+$", line) and not line.endswith(";"):
                body = [line]
            elif line.startswith("{") and body:
                head = re.sub(r"__attribute__ ?\(\(.*?\)\)\)?", "", " ".join(body))
                calls = [n for n in re.findall(r"(\w+) ?\(", head) if n != "uint8_t"]
                if calls:
                    name, static, body = calls[0], "static" in head, []
            else:
                body.append(line)
        elif line.startswith("}"):
            operations = [o for o in OPERATION.findall("\n".join(body)) if not NO_OPERATION.search(o)]
            found[name] = len(operations), not static
            name, body = None, []
        else:
            body.append(line)
    return found


def kernels():
    """object, as ec/p256 -> its functions"""
    sources = sorted(Path(ROOT, "src/kernels").glob("*/*.c"))
    return {f"{s.parent.name}/{s.stem}": functions(s) for s in sources}


def proofs():
    """(object, function) -> families"""
    found = {}
    for key, family in FAMILIES.items():
        entered = set()
        for form in family.forms:
            with tempfile.TemporaryDirectory() as folder:
                entered = entered.union(*records(build(family, form, folder))[1].values())
        for function in entered:
            for kernel in family.kernels:
                found.setdefault((kernel, function), []).append(key)
    return found


def reasons():
    """(pattern of objects, pattern of functions, kind, why)"""
    kind, rows = None, []
    for line in re.sub(r"\n {2,}", " ", Path(HERE, "unproved.txt").read_text()).splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            pattern, _, why = line.partition(" : ")
            where, _, names = pattern.partition(" ")
            rows += [(where.strip(), name, kind, why.strip()) for name in names.split()]
    return rows


def main():
    proved, why, used, missing = proofs(), reasons(), set(), []
    lines = [HEAD, "|---|---|---|---|---|---|---|"]
    total, kinds, operations = Counter(), Counter(), Counter()
    for kernel, of in kernels().items():
        count, families, left = Counter(), set(), {}
        for name, (many, _) in of.items():
            name_there = re.sub("^oct_(bound|c)_", "oct_proof_", name)
            good = (kernel, name_there) in proved
            count["functions"] += 1
            count["proved"] += good
            count["operations"] += many
            count["covered"] += many if good else 0
            if good:
                families |= set(proved[kernel, name_there])
                continue
            found = next((r for r in why if fnmatch.fnmatch(kernel, r[0]) and fnmatch.fnmatch(name, r[1])), None)
            used.add(found)
            if found:
                left.setdefault(found[2], []).append(name)
                kinds[found[2]] += 1
                operations[found[2]] += many
            else:
                missing.append(f"{kernel} {name}: neither a proof nor a reason in unproved.txt; {many} operations")
        total += count
        entries = ", ".join(f"`{re.sub('^oct_(bound|c)_', '', n)}`" for n, (_, public) in of.items() if public)
        share = f"{100 * count['covered'] // count['operations']} %" if count["operations"] else "none"
        rest = "; ".join(f"{kind}: {len(names)}" for kind, names in sorted(left.items()))
        lines.append(f"| `{kernel}` | {entries} | {count['functions']} | {count['proved']} | {share} | "
                     f"{', '.join(sorted(families))} | {rest} |")
    stale = [r for r in why if r not in used]
    missing += [f"unproved.txt: {r[0]} {r[1]} names nothing that is not proved" for r in stale]
    lines.append(f"| all | | {total['functions']} | {total['proved']} | "
                 f"{100 * total['covered'] // total['operations']} % of {total['operations']} | | "
                 + "; ".join(f"{k}: {n}" for k, n in sorted(kinds.items())) + " |")
    text = DOCUMENT.read_text()
    wanted = re.sub(f"{re.escape(HEAD)}\n(\\|.*\n)*", lambda _: "\n".join(lines) + "\n", text)
    if "--write" in sys.argv:
        DOCUMENT.write_text(wanted)
    elif wanted != text:
        missing.append("coverage.md: its table is stale; tests/library/proof/coverage.py --write")
    print("\n".join(missing))
    print(f"{total['proved']} of {total['functions']} functions, "
          f"{total['covered']} of {total['operations']} operations")
    for kind in sorted(kinds):
        print(f"not proved, {kind}: {kinds[kind]} functions, {operations[kind]} operations")
    print(f"{total['functions'] + len(stale) - len(missing)} passed, {len(missing)} failed")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
