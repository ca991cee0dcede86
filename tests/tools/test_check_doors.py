# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import subprocess

import pytest
from tests.tools.conftest import run_tool

HOOKS = "#define OCT_SSL_HOOKS(X) \\\n    X(SSL_read) X(SSL_new)\n#define OCT_SSL_YOUNGER_HOOKS(X) X(SSL_young)\n"
HOOKS += "#define OCT_AWSLC_YOUNGER_HOOKS(X) X(SSL_set_method)\n"
ROWS = """/* OCT_DOOR(SSL_comment, 1, 0, 0) is none. */
#define OCT_DOOR(name, argument, major3_minor, major4_minor)
OCT_DOOR(SSL_set, 1, 0, 0)
OCT_DOOR(SSL_trace, 3, 0, 0)
OCT_DOOR(SSL_write_ex2, 1, 3, 0)

OCT_DOOR_TWO(SSL_copy, 1, 2, 0, 0)

OCT_DOOR_AWSLC(SSL_get_curve, 1)

OCT_READ(SSL_version) /* decided */

OCT_HOOKED(SSL_new)
OCT_HOOKED(SSL_read)
OCT_HOOKED(SSL_set_method)
OCT_HOOKED(SSL_young)

OCT_ELSEWHERE(BIO_f_ssl) /* by a BIO */
"""
# In the manner of OpenSSL's: attributes, line breaks, callbacks that take an object, functions that return one.
HEADER = """# define SSL_macro(s) \\
    SSL_ctrl((s), 1)
__owur int SSL_read(SSL *ssl,
                    void *buf, int num); /* int SSL_comment(SSL *s); */
SSL *SSL_new(SSL_CTX *ctx);
OSSL_DEPRECATEDIN_3_0 void SSL_set(SSL *ssl, int (*cb) (SSL *ssl, void *arg), void *arg);
void SSL_trace(int write_p, const void *buf, SSL *ssl);
int SSL_copy(SSL *to, const SSL *from);
int SSL_version(const SSL *);
void SSL_CTX_set(SSL_CTX *ctx, void (*cb) (const SSL *ssl, int type));
void (*SSL_CTX_get(SSL_CTX *ctx)) (const SSL *ssl, int type);
const BIO_METHOD *BIO_f_ssl(void);
DECLARE_PEM_rw(SSL_SESSION, SSL_SESSION)
"""
YOUNG = "int SSL_write_ex2(SSL *s, const void *buf);\nint SSL_young(SSL *s, void (*f)(void));\n"
# In the manner of AWS-LC's: what is no export, and what only C++ has, are not looked at.
AWSLC = """OPENSSL_EXPORT int SSL_read(SSL *ssl, void *buf,
                            int num);
OPENSSL_EXPORT STACK_OF(X509) *SSL_set(SSL *ssl);
OPENSSL_EXPORT void (*SSL_get_curve(
    const SSL *ssl))(const SSL *ssl, int type);
OPENSSL_EXPORT void SSL_set_method(SSL *ssl);
int SSL_inner(SSL *ssl);
BSSL_NAMESPACE_BEGIN
OPENSSL_EXPORT bool SSL_apply(SSL *ssl);
BSSL_NAMESPACE_END
"""
OLD = ("SSL_read", "SSL_new", "SSL_set", "SSL_trace", "SSL_copy", "SSL_version", "SSL_CTX_set", "SSL_CTX_get",
       "BIO_f_ssl", "PEM_read_SSL_SESSION")


class Place:
    """A source tree with a list, and two releases of OpenSSL outside of it."""

    def __init__(self, tree):
        self.tree = tree
        self.rows(ROWS)
        tree.write("shim/libssl/resolve.h", HOOKS)
        self.three = self.release("3", [(n, "3_0_0") for n in OLD] + [("SSL_write_ex2", "3_3_0"),
                                                                      ("SSL_young", "3_5_0")])
        self.awslc = self.headers(AWSLC)
        self.four = self.release("4", [(n, "4_0_0") for n in (*OLD, "SSL_write_ex2", "SSL_young")])

    def rows(self, text):
        self.list = self.tree.write("shim/libssl/doors.def", text)

    def change(self, old, new):
        assert old in ROWS
        self.rows(ROWS.replace(old, new))

    def release(self, name, symbols, header=HEADER + YOUNG):
        self.tree.write(f"openssl-{name}/include/openssl/ssl.h.in", header, header=False)
        lines = [f"{symbol}\t{number}\t{node}\tEXIST::FUNCTION:\n" for number, (symbol, node) in enumerate(symbols)]
        lines.append("SSL_gone\t99\t3_0_0\tNOEXIST::FUNCTION:\n")
        return self.tree.write(f"openssl-{name}/util/libssl.num", "".join(lines), header=False)

    def headers(self, text):
        return self.tree.write("aws-lc/ssl.h", text, header=False).parent

    def check(self, *nums, awslc=None):
        arguments = [word for num in nums or (self.three, self.four) for word in ("--num", num)]
        awslc = awslc or (None if nums else self.awslc)
        return run_tool("check-doors", "--root", self.tree.path, *arguments, *(("--awslc", awslc) if awslc else ()))


@pytest.fixture
def place(tree):
    return Place(tree)


def test_clean(place):
    result = place.check()
    assert result.status == 0, result.out
    assert "12 functions, 4 doors, 1 reads, 3 hooked, 1 elsewhere" in result.out
    assert "4 functions, 2 doors, 0 reads, 2 hooked, 0 elsewhere" in result.out


def test_older_release_lacks_younger_names(place):
    result = place.check(place.release("3.0", [(name, "3_0_0") for name in OLD], header=HEADER))
    assert result.status == 0, result.out


@pytest.mark.parametrize("declared,said", [
    ("int SSL_more(SSL *s);", "argument 1, node (3, 0)"),
    ("int SSL_more(int a,\n    const SSL\n *s);", "argument 2"),
    ("void SSL_more(int (*cb)(int, int), struct ssl_st *s);", "argument 2"),
    ("void (*SSL_more(const SSL *s))(const SSL *, int);", "argument 1"),
    ("int SSL_more(SSL *s, SSL *t);", "OCT_DOOR_TWO"),
    ("int SSL_more(SSL **all);", "OCT_ELSEWHERE"),
    ("", "in no header"),
])
def test_unlisted(place, declared, said):
    num = place.release("3.0", [(name, "3_0_0") for name in (*OLD, "SSL_more")], header=HEADER + declared)
    assert place.check(num).finds("SSL_more", said), place.check(num).out


@pytest.mark.parametrize("old,new,said", [
    ("SSL_trace, 3", "SSL_trace, 1", "argument 3"),
    ("SSL_trace, 3", "SSL_trace, 7", "from 1 to 6"),
    ("SSL_copy, 1, 2", "SSL_copy, 2, 1", "argument 1 and 2"),
    ("SSL_write_ex2, 1, 3", "SSL_write_ex2, 1, 2", "OPENSSL_3.3.0"),
    ("SSL_write_ex2, 1, 3, 0", "SSL_write_ex2, 1, 3, -1", "OPENSSL_4.0.0"),
    ("SSL_write_ex2, 1, 3, 0", "SSL_write_ex2, 1, -1, -1", "no release"),
    ("SSL_write_ex2, 1, 3, 0", "SSL_write_ex2, 1, 3", "no row"),
    ("SSL_write_ex2, 1, 3, 0", "SSL_write_ex2, 1, 3, x", "not a number"),
    ("OCT_READ(SSL_version)", "OCT_READ(SSL_version)\nOCT_READ(SSL_set)", "SSL_set is also in line"),
    ("OCT_DOOR(SSL_set, 1, 0, 0)\n", "OCT_DOOR(SSL_trade, 1, 0, 0)\n", "sort the list"),
    ("OCT_DOOR(SSL_set, 1, 0, 0)\n", "OCT_DOOR(SSL_lost, 1, 0, 0)\n", "SSL_lost is not in"),
    ("OCT_READ(SSL_version)", "OCT_READ(SSL_lost)\nOCT_READ(SSL_version)", "SSL_lost is in no version"),
    ("OCT_READ(SSL_version)", "OCT_READ(SSL_CTX_get)\nOCT_READ(SSL_version)", "SSL_CTX_get takes no object"),
    ("OCT_READ(SSL_version)", "OCT_ELSEWHERE(SSL_version)", "SSL_version takes an object"),
    ("OCT_HOOKED(SSL_young)\n", "", "SSL_young has a hook"),
    ("OCT_HOOKED(SSL_new)", "OCT_HOOKED(SSL_macro)\nOCT_HOOKED(SSL_new)", "SSL_macro has no hook"),
])
def test_wrong_row(place, old, new, said):
    place.change(old, new)
    assert place.check().finds(said), place.check().out


def test_younger_names_are_only_missed_where_all_releases_are_here(place):
    place.change("OCT_READ(SSL_version)", "OCT_READ(SSL_lost)\nOCT_READ(SSL_version)")
    assert place.check(place.three).status == 0, place.check(place.three).out


@pytest.mark.parametrize("declared,said", [
    ("OPENSSL_EXPORT int SSL_more(const SSL *ssl);", "add it as OCT_DOOR_AWSLC, argument 1"),
    ("OPENSSL_EXPORT STACK_OF(X509) *SSL_more(int n, SSL *ssl);", "OCT_DOOR_AWSLC, argument 2"),
    ("OPENSSL_EXPORT void (*SSL_more(const SSL *ssl))(SSL *s);", "OCT_DOOR_AWSLC, argument 1"),
    ("OPENSSL_EXPORT int SSL_more(SSL **to);", "OCT_ELSEWHERE"),
])
def test_unlisted_of_awslc(place, declared, said):
    awslc = place.headers(AWSLC + declared)
    assert place.check(awslc=awslc).finds("SSL_more", said), place.check(awslc=awslc).out


def test_awslc_has_it_alone(place):
    place.change("OCT_DOOR_AWSLC(SSL_get_curve, 1)", "OCT_DOOR_AWSLC(SSL_get_curve, 1)\nOCT_DOOR_AWSLC(SSL_gone, 1)")
    assert place.check().finds("SSL_gone is not in"), place.check().out
    place.change("OCT_DOOR(SSL_set, 1, 0, 0)\n", "")
    place.rows(place.list.read_text().replace("SSL_get_curve, 1)", "SSL_get_curve, 1)\nOCT_DOOR_AWSLC(SSL_set, 1)"))
    assert place.check().finds("SSL_set is in"), place.check().out
    assert place.check(place.three, awslc=place.tree.path / "openssl-3").finds("no header of AWS-LC's")


def test_what_was_not_built_is_declared_even_so(place):
    """A libssl without some part of OpenSSL: the header has it, the library does not."""
    num = place.release("3.0", [(name, "3_0_0") for name in OLD if name != "SSL_trace"])
    assert place.check(num).status == 0, place.check(num).out


def test_library(place):
    """The symbols of a library, with the headers in a folder `include` above it."""
    build = place.tree.path / "openssl-3/lib"
    build.mkdir()
    source = place.tree.write("lib.c", "".join(f"void {name}(void) {{ }}\n" for name in (*OLD, "SSL_extra")))
    versions = place.tree.write("lib.map", "OPENSSL_3.0.0 { global: *; };\n", header=False)
    library = build / "libssl.so.3"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, f"-Wl,--version-script={versions}"], check=True)
    result = run_tool("check-doors", "--root", place.tree.path, "--library", library)
    assert result.finds("SSL_extra is in no header"), result.out
    assert "11 functions, 3 doors" in result.out
    place.tree.write("more/ssl.h", HEADER + "int SSL_extra(void);\n", header=False)
    result = run_tool("check-doors", "--root", place.tree.path, "--library", library, "--headers",
                      place.tree.path / "more")
    assert result.status == 0, result.out


def test_library_without_nodes(place):
    source = place.tree.write("lib.c", "void SSL_read(void) { }\n")
    library = place.tree.path / "openssl-3/libssl.so.3"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    assert run_tool("check-doors", "--root", place.tree.path, "--library", library).finds("SSL_read", "none")


def test_unknown_major(place):
    num = place.release("5", [(name, "5_0_0") for name in OLD])
    assert place.check(num).finds("libssl.so.5")


def test_no_headers(place):
    num = place.tree.write("away/libssl.num", "SSL_read 1 3_0_0 EXIST::FUNCTION:\n", header=False)
    assert place.check(num).finds("--headers")
    assert place.check(num).finds("nothing to look at")
