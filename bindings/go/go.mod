// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

module octuple/bindings/go

// 1.24 has runtime.AddCleanup and crypto/fips140, and Debian 13 has it. Debian 12's is 1.19, without what crypto/ed25519
// and crypto/rsa take as options today.
go 1.24
