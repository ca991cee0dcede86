// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

// Command interop is Go's crypto/tls with a single TLS group, as client or as server.
// Either prints or answers the group that it negotiated.
//
//	interop groups
//	interop client GROUP PORT CERTIFICATE
//	interop server GROUP PORT CERTIFICATE KEY
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

var groups = []tls.CurveID{tls.X25519MLKEM768, tls.SecP256r1MLKEM768, tls.SecP384r1MLKEM1024}

// config has the group alone, so that a handshake that succeeds has used it.
func config(group string) (*tls.Config, error) {
	for _, id := range groups {
		if id.String() == group {
			return &tls.Config{MinVersion: tls.VersionTLS13, CurvePreferences: []tls.CurveID{id}}, nil
		}
	}
	return nil, fmt.Errorf("crypto/tls has no %s", group)
}

func client(group, port, certificate string) error {
	conf, err := config(group)
	if err != nil {
		return err
	}
	pem, err := os.ReadFile(certificate)
	if err != nil {
		return err
	}
	conf.RootCAs = x509.NewCertPool()
	conf.RootCAs.AppendCertsFromPEM(pem)
	one := http.Client{Transport: &http.Transport{TLSClientConfig: conf}}
	answer, err := one.Get("https://127.0.0.1:" + port)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	fmt.Println("group", answer.TLS.CurveID)
	_, err = io.Copy(os.Stdout, answer.Body)
	return err
}

func server(group, port, certificate, key string) error {
	conf, err := config(group)
	if err != nil {
		return err
	}
	say := func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "group", r.TLS.CurveID) }
	one := http.Server{Addr: "127.0.0.1:" + port, TLSConfig: conf, Handler: http.HandlerFunc(say)}
	return one.ListenAndServeTLS(certificate, key)
}

func main() {
	log.SetFlags(0)
	var err error
	switch words := os.Args[1:]; {
	case len(words) == 1 && words[0] == "groups":
		for _, id := range groups {
			fmt.Println(id)
		}
	case len(words) == 4 && words[0] == "client":
		err = client(words[1], words[2], words[3])
	case len(words) == 5 && words[0] == "server":
		err = server(words[1], words[2], words[3], words[4])
	default:
		err = fmt.Errorf("usage: interop groups | client GROUP PORT CERTIFICATE | server GROUP PORT CERTIFICATE KEY")
	}
	if err != nil {
		log.Fatal("interop: ", err)
	}
}
