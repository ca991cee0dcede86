// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
// Some server of Node.js's.
const fs = require('fs');
const tls = { cert: fs.readFileSync('server.crt'), key: fs.readFileSync('server.key') };
require('https').createServer(tls, (request, response) => response.end('ok')).listen(8443);
