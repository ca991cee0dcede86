// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuplecaddy

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	octuple "octuple.example/bindings/go"
)

// A site whose certificate Caddy issues and keeps itself, as it does with ACME's.
const config = `{
	admin off
	persist_config off
	skip_install_trust
	storage file_system %q
	log {
		level ERROR
	}
	%s
}
https://localhost:%d {
	bind 127.0.0.1
	tls internal {
		key_type rsa2048
	}
}
`

func freePort(t *testing.T) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func adapted(text string) ([]byte, error) {
	json, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	return json, err
}

// load starts Caddy with the option or without, and makes a handshake.
func load(t *testing.T, storage, option string) *tls.Certificate {
	port := freePort(t)
	json, err := adapted(fmt.Sprintf(config, storage, option, port))
	if err != nil {
		t.Fatal(err)
	}
	if err := caddy.Load(json, true); err != nil {
		t.Fatal(err)
	}
	client := &tls.Config{ServerName: "localhost", InsecureSkipVerify: true}
	deadline := time.Now().Add(20 * time.Second) // while the certificate is issued
	for {
		conn, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port), client)
		if err == nil {
			conn.Close()
			return chosen(t)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// chosen is what Caddy takes for a handshake.
func chosen(t *testing.T) *tls.Certificate {
	app, err := caddy.ActiveContext().App("http")
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	hello := &tls.ClientHelloInfo{ServerName: "localhost", Conn: ours, SupportedVersions: []uint16{tls.VersionTLS13},
		SignatureSchemes: []tls.SignatureScheme{tls.PSSWithSHA256}, CipherSuites: []uint16{tls.TLS_AES_128_GCM_SHA256}}
	for _, server := range app.(*caddyhttp.App).Servers {
		for _, policy := range server.TLSConnPolicies {
			certificate, err := policy.TLSConfig.GetCertificate(hello)
			if err != nil {
				t.Fatal(err)
			}
			return certificate
		}
	}
	t.Fatal("no policy")
	return nil
}

func TestIssuedKeysAreWrapped(t *testing.T) {
	defer caddy.Stop()
	storage := t.TempDir()
	for _, option := range []string{"octuple", "", "octuple"} { // reloads, the key from storage
		key := load(t, storage, option).PrivateKey
		wrapped := octuple.UnwrapKey(key) != key
		if wrapped != (option != "" && os.Getenv("OCTUPLE_TEST_LANES") != "no") {
			t.Errorf("with the option %q, the key is wrapped: %v", option, wrapped)
		}
	}
}

func TestCaddyfile(t *testing.T) {
	json, err := adapted("{\n octuple\n}\n")
	if err != nil || !strings.Contains(string(json), `"octuple":{}`) {
		t.Errorf("%s, %v", json, err)
	}
	for _, bad := range []string{"octuple on", "octuple {\n a b\n }"} {
		if _, err := adapted("{\n " + bad + "\n}\n"); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestWithoutServers(t *testing.T) {
	defer caddy.Stop()
	if err := caddy.Load([]byte(`{"admin": {"disabled": true}, "apps": {"octuple": {}}}`), true); err != nil {
		t.Error(err)
	}
}
