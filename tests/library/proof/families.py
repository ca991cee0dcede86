# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The list that all of the proof goes by: families of kernel steps, and whose steps they are.

A driver (drivers/) runs steps of kernels on the proof backend, and claims/ says what they are meant to compute. The
proof of a family stands for the functions of `kernels`, objects of src/kernels, that its driver enters.
"""
from dataclasses import dataclass

from claims import chacha, curve25519, ec, ghash, hash as hashes, lattice, rsa, sm4

BOTH = ("", "OCT_WHOLE_PRODUCTS")  # forms of a product: written out, and whole (src/vec/vec.h)


@dataclass(frozen=True)
class Family:
    driver: str
    claim: object           # of the name and the lines of a record: what is proved, in words, or Unproved
    kernels: tuple          # objects of src/kernels
    defines: tuple = ()
    forms: tuple = BOTH


def curve(name, scheme, *more):
    return Family("ec.c", getattr(ec, name), (f"ec/{name}",),
                  (f'CURVE="kernels/ec/{name}_impl.h"',
                   f'SCHEME="kernels/ec/{scheme}_impl.h"', *more))


def scalar(name):
    return Family("scalar.c", getattr(ec, f"scalar_{name}"), (f"ec/{name}",),
                  (f'CURVE="kernels/ec/{name}_impl.h"',), ("",))


def fold(name, kernel, blocks, block, bits, window, prime):
    return Family("fold.c", getattr(rsa, name), (f"rsa/{kernel}",),
                  (f"BLOCKS={blocks}", f"BLOCK={block}", f"BLOCK_BITS={bits}", f"WINDOW={window}",
                   f"PRIME_BITS={prime}", "TOGETHER=2"))


def mont(kernel, limbs, *more):
    return Family("mont.c", rsa.mont, (f"rsa/{kernel}",), (f"LIMBS={limbs}", "STRIP=5", *more))


def mldsa(name, highs, gamma1, tau, eta):
    return Family("mldsa.c", getattr(lattice, name), (f"lattice/{name}",),
                  (f"MLDSA_HIGHS={highs}", f"MLDSA_GAMMA1_BITS={gamma1}", f"MLDSA_TAU={tau}", f"MLDSA_ETA={eta}"),
                  ("",))


CURVE25519 = ("curve25519/x25519", "curve25519/x25519_public", "curve25519/comb25519", "curve25519/ed25519_sign",
              "curve25519/ed25519_verify")

FAMILIES = {
    "fe25519": Family("fe25519.c", curve25519.fe25519, CURVE25519),
    "points25519": Family("points25519.c", curve25519.points25519, CURVE25519),
    "order25519": Family("order25519.c", ec.order25519, ("curve25519/ed25519_sign", "curve25519/ed25519_verify")),
    "p256": curve("p256", "ec_ecdsa"),
    "p384": curve("p384", "ec_ecdsa"),
    "sm2": curve("sm2", "sm2_scheme", "SM2"),
    "scalar_p256": scalar("p256"),
    "scalar_p384": scalar("p384"),
    "scalar_sm2": scalar("sm2"),
    "fold1024": fold("fold1024", "rsa20", 4, 5, 258, 4, 1024),
    "fold1536": fold("fold1536", "rsa30", 8, 4, 204, 4, 1536),
    "fold2048": fold("fold2048", "rsa40", 8, 5, 257, 5, 2048),
    "rows1024": Family("rows.c", rsa.rows1024, ("rsa/rsa20",),
                       ("OCT_ROWS", "LIMBS=20", "STRIP=5", "WINDOW=4", "PRIME_BITS=1024", "TOGETHER=1"), ("",)),
    "mont40": mont("rsa40_public", 40, "MONT_SQUARE"),
    "mont60": mont("rsa60", 60),
    "mont80": mont("rsa80", 80),
    "poly1305": Family("poly1305.c", chacha.poly1305, ("chacha/chacha20poly1305",), forms=("",)),
    "poly1305_wide": Family("poly1305_wide.c", chacha.poly1305_wide, ("chacha/chacha20poly1305",),
                            forms=("OCT_WHOLE_PRODUCTS",)),
    "poly1305_long": Family("poly1305_long.c", chacha.poly1305_long, ("chacha/chacha20poly1305",),
                            forms=("OCT_WHOLE_PRODUCTS",)),
    "chacha20": Family("chacha20.c", hashes.chacha20, ("chacha/chacha20poly1305",)),
    "ghash": Family("ghash.c", ghash.ghash, ("gcm/gcm128", "gcm/gcm192", "gcm/gcm256", "sm4/sm4gcm", "sm4/sm4many"),
                    forms=("",)),
    "sm4": Family("sm4.c", sm4.sm4, ("sm4/sm4", "sm4/sm4gcm", "sm4/sm4many"), forms=("",)),
    "hash": Family("hash.c", hashes.compression, ("hash/sha512", "hash/sm3", "lattice/keccak", "lattice/shake256",
                                                  "lattice/mlkem768", "lattice/mlkem1024", "lattice/mldsa44",
                                                  "lattice/mldsa65"), forms=("",)),
    "mlkem": Family("mlkem.c", lattice.mlkem, ("lattice/mlkem768", "lattice/mlkem1024"), forms=("",)),
    "mldsa44": mldsa("mldsa44", 44, 17, 39, 2),
    "mldsa65": mldsa("mldsa65", 16, 19, 49, 4),
}
