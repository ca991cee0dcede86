// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/hex"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const vectors = "../../tests/library/vectors"

// fields are those of a record, and of the group and key that it belongs to. README.md
// beside the vectors has their form.
type fields map[string]string

func (f fields) bytes(name string) []byte { return must(hex.DecodeString(f[name])) }

func (f fields) number(name string) *big.Int { return new(big.Int).SetBytes(f.bytes(name)) }

func (f fields) hash(name string) crypto.Hash {
	return map[string]crypto.Hash{
		"": 0, "sha-1": crypto.SHA1, "sha-224": crypto.SHA224, "sha-256": crypto.SHA256, "sha-384": crypto.SHA384,
		"sha-512": crypto.SHA512, "sha-512-224": crypto.SHA512_224, "sha-512-256": crypto.SHA512_256,
	}[f[name]]
}

func (f fields) rsaPublic() *rsa.PublicKey {
	return &rsa.PublicKey{N: f.number("n"), E: int(f.number("e").Int64())}
}

func (f fields) rsaPrivate() *rsa.PrivateKey {
	key := &rsa.PrivateKey{PublicKey: *f.rsaPublic(), D: f.number("d")}
	key.Primes = []*big.Int{f.number("p"), f.number("q")}
	key.Precompute()
	return key
}

func (f fields) ecdsaPublic() *ecdsa.PublicKey {
	curve, size := elliptic.P256(), 32
	if len(f["point"]) == 2*97 {
		curve, size = elliptic.P384(), 48
	}
	point := f.bytes("point")[1:]
	return &ecdsa.PublicKey{Curve: curve, X: new(big.Int).SetBytes(point[:size]), Y: new(big.Int).SetBytes(point[size:])}
}

// read calls `one` for each case of a file, with its key.
func read(t *testing.T, path string, one func(kind string, c fields)) {
	t.Helper()
	keys, kind := map[string]fields{}, ""
	var group fields
	for line := range strings.Lines(string(must(os.ReadFile(path)))) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		record := fields{}
		for _, word := range words[1:] {
			name, value, _ := strings.Cut(word, "=")
			record[name] = value
		}
		switch words[0] {
		case "file":
			kind = record["kind"]
		case "key":
			keys[record["id"]] = record
		case "group":
			group = record
		case "case":
			for _, more := range []fields{group, keys[group["key"]]} {
				for name, value := range more {
					if _, known := record[name]; !known {
						record[name] = value
					}
				}
			}
			one(kind, record)
		}
	}
}

// batched is a file's signatures with what Wycheproof says of them, verified eight at a time.
type batched struct {
	cases   []fields
	batch   []Verification
	checked int
}

func (b *batched) add(c fields, public crypto.PublicKey, digest []byte, opts crypto.SignerOpts) {
	b.cases = append(b.cases, c)
	b.batch = append(b.batch, Verification{public, digest, c.bytes("sig"), opts})
}

// check holds verdicts against the file, and against Go's own where it leaves the verdict open.
func (b *batched) check(t *testing.T) {
	for i, valid := range VerifyBatch(b.batch) {
		own := b.batch[i].own()
		if valid != own || b.cases[i]["result"] != "acceptable" && valid != (b.cases[i]["result"] == "valid") {
			t.Errorf("case %s is %s; valid: %v, Go's own: %v", b.cases[i]["id"], b.cases[i]["result"], valid, own)
		}
	}
}

func (b *batched) verify(c fields, kind string) bool {
	hash := c.hash("sha")
	switch kind {
	case "rsa-pkcs1-verify":
		b.add(c, c.rsaPublic(), digestOf(hash, string(c.bytes("msg"))), hash)
	case "rsa-pss-verify":
		opts := &rsa.PSSOptions{Hash: hash, SaltLength: must(strconv.Atoi(c["salt"]))}
		b.add(c, c.rsaPublic(), digestOf(hash, string(c.bytes("msg"))), opts)
	case "ecdsa-verify":
		b.add(c, c.ecdsaPublic(), digestOf(hash, string(c.bytes("msg"))), hash)
	case "ed25519-verify":
		b.add(c, ed25519.PublicKey(c.bytes("pk")), c.bytes("msg"), crypto.Hash(0))
	default:
		return false
	}
	return true
}

func decryptCase(t *testing.T, c fields, wrapped crypto.PrivateKey, own *rsa.PrivateKey, opts crypto.DecrypterOpts) {
	found, err := wrapped.(crypto.Decrypter).Decrypt(rand.Reader, c.bytes("ct"), opts)
	if c["result"] == "valid" && (err != nil || !bytes.Equal(found, c.bytes("msg"))) ||
		c["result"] == "invalid" && err == nil {
		t.Errorf("case %s is %s: %v", c["id"], c["result"], err)
	}
	sameDecryption(t, own, wrapped.(crypto.Signer), c.bytes("ct"), opts)
}

func TestVectors(t *testing.T) {
	files := must(filepath.Glob(vectors + "/*.txt"))
	counts := map[string]int{}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			skipIfSlow(t, path)
			var signatures batched
			wrapped := wrappedKeys{known: map[any]crypto.PrivateKey{}}
			keys := map[string]*rsa.PrivateKey{}
			read(t, path, func(kind string, c fields) {
				counts[kind]++
				if signatures.verify(c, kind) {
					return
				}
				if c["d"] == "" || c["n"] == "" {
					return
				}
				own := keys[c["key"]]
				if own == nil {
					own = c.rsaPrivate()
					keys[c["key"]] = own
				}
				key := wrapped.wrap(own)
				switch kind {
				case "rsa-pkcs1-decrypt":
					decryptCase(t, c, key, own, nil)
				case "rsa-oaep-decrypt":
					decryptCase(t, c, key, own,
						&rsa.OAEPOptions{Hash: c.hash("sha"), MGFHash: c.hash("mgf"), Label: c.bytes("label")})
				case "rsa-pkcs1-sign":
					hash := c.hash("sha")
					signature, err := key.(crypto.Signer).Sign(rand.Reader, digestOf(hash, string(c.bytes("msg"))), hash)
					if err != nil || !bytes.Equal(signature, c.bytes("sig")) {
						t.Errorf("case %s: another signature, %v", c["id"], err)
					}
				}
			})
			signatures.check(t)
		})
	}
	for _, kind := range []string{"rsa-pkcs1-verify", "rsa-pss-verify", "ecdsa-verify", "ed25519-verify",
		"rsa-pkcs1-decrypt", "rsa-oaep-decrypt", "rsa-pkcs1-sign"} {
		if counts[kind] < 30 {
			t.Errorf("%s: only %d cases were read", kind, counts[kind])
		}
	}
}
