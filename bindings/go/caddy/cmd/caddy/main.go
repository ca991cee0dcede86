// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

// Command caddy is Caddy with its standard modules and the app octuple.
package main

import (
	_ "time/tzdata"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "octuple.example/bindings/go/caddy"
)

func main() {
	caddycmd.Main()
}
