# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Proves what kernel steps compute, for all inputs, from records of their operations (docs: SOUNDNESS.md).

usage: prove.py [--list] [--only RECORD] [FAMILY...]
"""
import argparse
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

from algebra import Unproved
from families import FAMILIES
from record import Record, read

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
# -no-pie: a record names functions by their addresses, which the symbol table has. A step that leaves its arrays ends,
# and what it has not set is no line.
FLAGS = ["-std=gnu17", "-O0", "-w", "-no-pie", "-fsanitize=address,bounds", "-fno-sanitize-recover=all",
         "-ftrivial-auto-var-init=pattern",
         "-DOCT_BACKEND_PROOF", "-finstrument-functions",
         "-finstrument-functions-exclude-file-list=src/vec/,src/base/,library/proof/"]


# What a process may take, which right code needs not half of: bytes of memory and of a record, seconds of a CPU.
MEMORY, RECORD, SECONDS = 3 << 30, 16 << 20, 60


def limited(share, memory=MEMORY):
    """This process may take that share of them. A record of a kernel that was changed may be endless."""
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, RECORD), (resource.RLIMIT_CPU, SECONDS)):
        most = most if most == resource.RLIM_INFINITY else int(most * share)
        resource.setrlimit(what, (most, most))


def build(family, form, folder):
    """The driver's path; a compiler's error is the caller's affair. A file of folder/src comes before the source's."""
    program = os.path.join(folder, "driver")
    defines = [f"-D{d}" for d in family.defines] + ([f"-D{form}"] if form else [])
    subprocess.run([os.environ.get("CC", "gcc"), *FLAGS, *defines, f"-I{folder}/src", f"-I{ROOT}/src",
                    f"-I{ROOT}/include", f"-I{HERE}/drivers", f"{HERE}/drivers/{family.driver}",
                    f"{ROOT}/src/base/base.c", "-o", program],
                   check=True, capture_output=True, text=True, preexec_fn=lambda: limited(1))
    return program


def records(program):
    """name -> lines, and the names of the functions that were entered while it was recorded."""
    with open(f"{program}.record", "w+") as file:
        # AddressSanitizer maps all of the address space.
        subprocess.run([program], check=True, stdout=file, stderr=subprocess.DEVNULL,
                       preexec_fn=lambda: limited(1, memory=resource.RLIM_INFINITY),
                       env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
        file.seek(0)
        text = file.read()
    symbols = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    names = {int(a, 16): n for a, n in re.findall(r"^([0-9a-f]+) [tT] (\S+)$", symbols, re.M)}
    entered, of = {}, None
    for word, value in re.findall(r"^(begin|enter) (\S+)$", text, re.M):
        if word == "begin":
            of = entered.setdefault(value, set())
        elif of is not None:
            of.add(names[int(value, 16)])
    return read(re.sub(r"^enter .*\n", "", text, flags=re.M)), entered


def prove(family, name, lines):
    """(whether it is proved, what is)"""
    Record.made.clear()
    try:
        said = family.claim(name, lines)
        for record in Record.made:
            record.check()
        return True, said
    except (Unproved, KeyError, ValueError, IndexError, AttributeError, TypeError, RecursionError) as e:
        return False, f"{type(e).__name__} {e}"


def prove_limited(family, name, lines, share=1):
    """The same in a process that is limited; None where it is not enough."""
    receiver, sender = multiprocessing.Pipe(False)

    def run():
        limited(share)
        try:
            sender.send(prove(family, name, lines))
        except MemoryError:
            os._exit(1)
    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return None
    finally:
        child.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only")
    wanted = parser.parse_args()
    if wanted.list:
        print("\n".join(FAMILIES))
        return 0
    failed = passed = 0
    begun = time.process_time()
    for key in wanted.families or FAMILIES:
        for form in FAMILIES[key].forms:
            with tempfile.TemporaryDirectory() as folder:
                parts, _ = records(build(FAMILIES[key], form, folder))
            for name, lines in parts.items():
                if wanted.only and name != wanted.only:
                    continue
                start = time.process_time()
                good, said = prove(FAMILIES[key], name, lines)
                passed, failed = passed + good, failed + (not good)
                print(f"{'proved' if good else 'FAILED'} {key}{' (whole products)' if form else ''}, {name}: {said}; "
                      f"{len(lines)} lines, {time.process_time() - start:.2f} s", flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{time.process_time() - begun:.1f} s, {memory} MB")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
