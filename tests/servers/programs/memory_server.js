// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
// A TLS server that echoes. Node.js reads its sockets itself, and gives libssl the bytes through a BIO of its own.
//
// usage: node memory_server.js [SECOND-PORT] PORT KEYS
//
// At the second port clients are asked for certificates, and for a key share of P-384.
//
// Ends when its standard input does, and prints then what it has seen.
'use strict';
const fs = require('fs');
const tls = require('tls');

const words = process.argv.slice(2);
const keys = words.pop();
const port = words.pop();
const seen = { handshakes: 0, wrong: 0 };
const file = (name) => fs.readFileSync(`${keys}/${name}`);

function serve(socket) {
  seen.handshakes++;
  socket.on('error', () => {});
  socket.on('data', (data) => {
    seen.wrong += !/^[\n -~]*$/.test(data.toString('latin1'));
    socket.write(data);
  });
}

for (const number of [port, ...words]) {
  const asks = number !== port;
  const name = asks ? 'ecdsa-p384' : 'rsa2048';
  const server = tls.createServer({
    cert: file(`${name}.crt`), key: file(`${name}.key`),
    ca: asks ? file('ca.crt') : undefined, requestCert: asks, rejectUnauthorized: asks,
    ecdhCurve: asks ? 'P-384' : 'auto',
  }, serve);
  server.on('tlsClientError', () => {});
  server.listen({ port: Number(number), host: '127.0.0.1', backlog: 1024 });
}
process.stdin.on('end', () => {
  console.log(JSON.stringify(seen));
  process.exit(0);
});
process.stdin.resume();
