// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

module octuple.example/bindings/go

// 1.24 has runtime.AddCleanup and crypto/fips140, and is Debian 13's. Debian 12's is 1.19, which lacks options of
// crypto/rsa and crypto/ed25519.
go 1.24
