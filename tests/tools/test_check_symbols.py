# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import pytest
from tests.tools.conftest import run_tool

GOOD = ("-Wl,-z,relro", "-Wl,-z,now", "-fvisibility=hidden", "-fPIC")
SOURCE = '__attribute__((visibility("default"))) int oct_one(void) { return 1; }\n'


@pytest.fixture
def house(tree):
    tree.write("include/octuple/one.h", "#define OCT_API\nOCT_API OCT_MUST_USE int oct_one(void);\n")
    tree.write("lib.c", SOURCE)
    return tree


def check(tree, *arguments):
    return run_tool("check-symbols", tree.path / "build", "--root", tree.path, *(arguments or ("--part", "library")))


def test_clean(house):
    house.link("liboctuple.so", *GOOD, house.path / "lib.c")
    result = check(house)
    assert result.status == 0, result.out


def test_nothing_built(house):
    assert check(house).finds("not built")


def test_one_too_many(house):
    house.write("lib.c", SOURCE + '__attribute__((visibility("default"))) int helper;\n')
    house.link("liboctuple.so", *GOOD, house.path / "lib.c")
    assert check(house).finds("exports helper")


def test_one_missing(house):
    house.write("include/octuple/two.h", "OCT_API struct x *\noct_two(int a,\n        int b);\n")
    house.link("liboctuple.so", *GOOD, house.path / "lib.c")
    assert check(house).finds("does not export oct_two")


def test_private_header(house):
    house.write("src/base/two.h", "OCT_API void oct_two(void);\n")
    house.link("liboctuple.so", *GOOD, house.path / "lib.c")
    assert check(house).finds("does not export oct_two")
    house.write("lib.c", SOURCE + '__attribute__((visibility("default"))) void oct_two(void) { }\n')
    house.link("liboctuple.so", *GOOD, house.path / "lib.c")
    assert check(house).status == 0


def test_taken_late(house):
    house.write("shim/libssl/library.def", "OCT_LIBRARY(oct_gone)\nOCT_LIBRARY(oct_one)\n")
    house.link("liboctuple.so", *GOOD, house.path / "lib.c")
    assert check(house).finds("does not export oct_gone of shim/libssl/library.def")


@pytest.mark.parametrize("flags,said", [
    (("-Wl,-z,now", "-Wl,-z,norelro"), "RELRO"),
    (("-Wl,-z,relro", "-Wl,-z,lazy"), "BIND_NOW"),
    (("-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,execstack"), "executable"),
    (("-Wl,-z,relro", "-Wl,-z,now", "-Wl,-rpath,/opt/lib"), "searches /opt/lib"),
])
def test_hardening(house, flags, said):
    house.link("liboctuple.so", "-fvisibility=hidden", "-fPIC", *flags, house.path / "lib.c")
    assert check(house).finds(said), check(house).out


def test_banned_and_openssl_calls(house):
    house.write("lib.c", SOURCE + "char *strcpy(char *, const char *);\nvoid RSA_free(void *);\n"
                "int f(char *a, char *b) { strcpy(a, b); RSA_free(a); return 0; }\n"
                'int (*keep)(char *, char *) __attribute__((visibility("hidden"))) = f;\n')
    house.link("liboctuple.so", *GOOD, "-fno-builtin", house.path / "lib.c")
    assert check(house).finds("calls strcpy")
    assert check(house).finds("calls OpenSSL: RSA_free")


def test_a_young_glibc(house):
    """A thread is made by another version of the function before 2.34."""
    house.write("lib.c", SOURCE + "#include <pthread.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"
                "int (*keep[])() = {pthread_create, fstat, gettid};\n")
    house.link("liboctuple.so", *GOOD, "-D_GNU_SOURCE", house.path / "lib.c")
    for name, version in (("pthread_create", "2.34"), ("fstat", "2.33"), ("gettid", "2.30")):
        assert check(house).finds(f"needs {name} of glibc {version}")
    house.write("cmake/portable/old_glibc.h", "OCT_OLDER(pthread_create, 2.2.5);\n#define fstat(a, b) f(a, b)\n"
                "#define gettid() 0\n")
    assert check(house).status == 0, check(house).out
    house.write("build/CMakeCache.txt", "OCT_OLD_GLIBC:BOOL=ON\n", header=False)
    assert check(house).finds("needs pthread_create of glibc 2.34")


def test_provider(house):
    exported = '__attribute__((visibility("default"))) int '
    source = house.write("prov.c", exported + "OSSL_provider_init(void) { return 1; }\n")
    house.link("octuple.so", *GOOD, source)
    assert check(house, "--part", "provider").status == 0
    house.write("prov.c", source.read_text() + exported + "more(void) { return 1; }\n")
    house.link("octuple.so", *GOOD, source)
    assert check(house, "--part", "provider").finds("exports more")


READS = ("read", "readv", "recv", "recvfrom", "recvmsg", "recvmmsg", "preadv2", "preadv64v2", "__read", "__read_chk",
         "__recv_chk", "__recvfrom_chk")


def test_shim(house):
    lists = "#define OCT_READ_HOOKS(X) " + " ".join(f"X({name})" for name in READS) + "\n"
    reads = "".join(f"int {name}(void) {{ return 0; }}\n" for name in READS)
    hooks = lists + "#define OCT_LIBC_HOOKS(X) \\\n    X(close) \\\n    X(epoll_ctl) /* X(poll) */\n"
    house.write("shim/resolve.h", hooks)
    table = ("## What the shim stands in front of\n\n"
             "| functions | what |\n|---|---|\n| `close`, `epoll_ctl` | `errno` |\n"
             "| " + ", ".join(f"`{name}`" for name in READS) + " | |\n")
    house.write("docs/limits.md", table)
    source = house.write("shim.c", reads + "int close(int fd) { return fd; }\nint epoll_ctl(void) { return 0; }\n")
    house.link("liboctuple-async.so", "-Wl,-z,relro", "-Wl,-z,now", "-fPIC", source)
    assert check(house, "--part", "shim").status == 0, check(house, "--part", "shim").out
    house.write("shim/resolve.h", hooks.replace("X(recvmmsg)", ""))
    house.write("shim.c", source.read_text().replace("int recvmmsg(void) { return 0; }\n", ""))
    house.link("liboctuple-async.so", "-Wl,-z,relro", "-Wl,-z,now", "-fPIC", source)
    assert check(house, "--part", "shim").finds("does not stand in front of recvmmsg")
    house.write("shim/resolve.h", hooks)
    house.write("shim.c", reads + "int close(int fd) { return fd; }\nint helper(void) { return 0; }\n")
    house.link("liboctuple-async.so", "-Wl,-z,relro", "-Wl,-z,now", "-fPIC", source)
    assert check(house, "--part", "shim").finds("exports helper")
    assert check(house, "--part", "shim").finds("does not export epoll_ctl")
    house.write("cmake/portable/old_glibc.h", "OCT_OLDER(close, 2.2.5);\nOCT_OLDER_OUTSIDE(epoll_ctl, 2.3.2);\n")
    assert check(house, "--part", "shim").finds("takes close from the C library")
    assert "takes epoll_ctl" not in check(house, "--part", "shim").out
    house.write("docs/limits.md", table.replace("`close`, ", ""))
    assert check(house, "--part", "shim").finds("exports close, which the table in docs/limits.md")
    house.write("shim/resolve.h", lists + "#define OCT_LIBC_HOOKS(X) X(close) X(helper)\n")
    assert check(house, "--part", "shim").finds("helper is a function of neither")
    house.write("shim/libssl/doors.def", "OCT_DOOR(SSL_young, 1, -1, 0)\nOCT_DOOR(SSL_set, 1, 0, 0)\n"
                "OCT_DOOR_AWSLC(SSL_own, 1)\n")
    assert check(house, "--part", "shim").finds("does not export SSL_set")
    assert check(house, "--part", "shim").finds("does not export SSL_own")
    assert "SSL_young" not in check(house, "--part", "shim").out
