# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""tlslite-ng's arithmetic is Python. What it would spend most of its time on, AEADs and X25519, is libcrypto's here,
with its interfaces."""

from __future__ import annotations

import ctypes

import tlslite.recordlayer

EVP_PKEY_X25519 = 1034
SET_TAG, GET_TAG = 0x11, 0x10
TAG = 16

crypto = ctypes.CDLL("libcrypto.so.3")
for name in ("EVP_CIPHER_CTX_new", "EVP_aes_128_gcm", "EVP_aes_256_gcm", "EVP_chacha20_poly1305",
             "EVP_PKEY_new_raw_private_key",
             "EVP_PKEY_new_raw_public_key", "EVP_PKEY_CTX_new"):
    getattr(crypto, name).restype = ctypes.c_void_p


class Aead:
    """What tlslite-ng's record layer calls a cipher context."""

    isBlockCipher, isAEAD, nonceLength, tagLength, implementation = False, True, 12, TAG, "libcrypto"

    def __init__(self, name: str, cipher: int, key: bytes):
        self.name, self.cipher, self.key = name, ctypes.c_void_p(cipher), bytes(key)
        self.ctx = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())

    def __del__(self) -> None:
        crypto.EVP_CIPHER_CTX_free(self.ctx)

    def __copy__(self) -> "Aead":
        return self  # it has no state between records

    def run(self, encrypt: int, nonce: bytes, text: bytes, data: bytes) -> bytes:
        out, length = ctypes.create_string_buffer(max(len(text), 1)), ctypes.c_int()
        crypto.EVP_CipherInit_ex(self.ctx, self.cipher, None, self.key, bytes(nonce), encrypt)
        crypto.EVP_CipherUpdate(self.ctx, None, ctypes.byref(length), bytes(data), len(data))
        if text:
            crypto.EVP_CipherUpdate(self.ctx, out, ctypes.byref(length), bytes(text), len(text))
        return out.raw[:len(text)]

    def final(self) -> bool:
        rest, length = ctypes.create_string_buffer(TAG), ctypes.c_int()
        return crypto.EVP_CipherFinal_ex(self.ctx, rest, ctypes.byref(length)) == 1

    def seal(self, nonce: bytes, plaintext: bytes, data: bytes) -> bytearray:
        sealed, tag = self.run(1, nonce, plaintext, data), ctypes.create_string_buffer(TAG)
        self.final()
        crypto.EVP_CIPHER_CTX_ctrl(self.ctx, GET_TAG, TAG, tag)
        return bytearray(sealed + tag.raw)

    def open(self, nonce: bytes, ciphertext: bytes, data: bytes) -> bytearray | None:
        if len(ciphertext) < TAG:
            return None
        opened = self.run(0, nonce, ciphertext[:-TAG], data)
        crypto.EVP_CIPHER_CTX_ctrl(self.ctx, SET_TAG, TAG, bytes(ciphertext[-TAG:]))
        return bytearray(opened) if self.final() else None


def gcm(key: bytes, _implementations: object = None) -> Aead:
    cipher = crypto.EVP_aes_128_gcm() if len(key) == 16 else crypto.EVP_aes_256_gcm()
    return Aead(f"aes{8 * len(key)}gcm", cipher, key)


def chacha(key: bytes, _implementations: object = None) -> Aead:
    return Aead("chacha20-poly1305", crypto.EVP_chacha20_poly1305(), key)


def x25519(private: bytes, public: bytes) -> bytes:
    """The shared secret; empty if there is none."""
    ours = ctypes.c_void_p(crypto.EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, None, bytes(private),
                                                               ctypes.c_size_t(32)))
    theirs = ctypes.c_void_p(crypto.EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, None, bytes(public),
                                                                ctypes.c_size_t(32)))
    ctx = ctypes.c_void_p(crypto.EVP_PKEY_CTX_new(ours, None))
    out, length = ctypes.create_string_buffer(32), ctypes.c_size_t(32)
    good = (crypto.EVP_PKEY_derive_init(ctx) == 1 and crypto.EVP_PKEY_derive_set_peer(ctx, theirs) == 1
            and crypto.EVP_PKEY_derive(ctx, out, ctypes.byref(length)) == 1)
    crypto.EVP_PKEY_CTX_free(ctx)
    crypto.EVP_PKEY_free(ours)
    crypto.EVP_PKEY_free(theirs)
    return out.raw if good else b""


def use() -> None:
    tlslite.recordlayer.createAESGCM = gcm
    tlslite.recordlayer.createCHACHA20 = chacha
