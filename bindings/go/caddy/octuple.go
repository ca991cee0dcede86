// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

// Package octuplecaddy is a Caddy app whose presence lets the private keys of Caddy's HTTPS servers sign in lanes.
//
// It wraps the certificate that Caddy has chosen for a handshake. So it serves every certificate, wherever its key is
// from: files, ACME, Caddy's own authority, certificates on demand. Storage and renewal meet the keys as they are.
//
// In a Caddyfile it is the global option `octuple`, in JSON the app "octuple": {}.
package octuplecaddy

import (
	"encoding/json"
	"errors"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	octuple "octuple.example/bindings/go"
)

func init() {
	caddy.RegisterModule(App{})
	httpcaddyfile.RegisterGlobalOption("octuple", parse)
}

// App has no settings.
type App struct{}

// CaddyModule is what Caddy knows the app by.
func (App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "octuple", New: func() caddy.Module { return new(App) }}
}

// Provision wraps what the connection policies of all HTTP servers choose. The http app makes these policies when it
// is provisioned, which Context does first if it is not yet, and no server runs before all apps are.
func (*App) Provision(ctx caddy.Context) error {
	app, err := ctx.AppIfConfigured("http")
	if errors.Is(err, caddy.ErrNotConfigured) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, server := range app.(*caddyhttp.App).Servers {
		for _, policy := range server.TLSConnPolicies {
			if config := policy.TLSConfig; config != nil && config.GetCertificate != nil {
				config.GetCertificate = octuple.GetCertificate(config.GetCertificate)
			}
		}
	}
	return nil
}

// Start and Stop make it an app.
func (*App) Start() error { return nil }

// Stop has nothing to stop.
func (*App) Stop() error { return nil }

func parse(d *caddyfile.Dispenser, _ any) (any, error) {
	d.Next()
	if d.NextArg() || d.NextBlock(0) {
		return nil, d.ArgErr()
	}
	return httpcaddyfile.App{Name: "octuple", Value: json.RawMessage("{}")}, nil
}

var (
	_ caddy.App         = (*App)(nil)
	_ caddy.Provisioner = (*App)(nil)
)
