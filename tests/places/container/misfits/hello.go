// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

// A static program with a TLS of its own.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
)

func main() {
	fmt.Printf("%x\n", sha256.Sum256([]byte("go")))
	os.Exit(5)
}
