// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! A TLS server on pingora, each thread of which has a runtime of its own. It answers each connection once and ends it.
//!
//! usage: pingora-server PORT CERTIFICATE KEY THREADS

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use pingora_core::apps::ServerApp;
use pingora_core::protocols::Stream;
use pingora_core::server::configuration::ServerConf;
use pingora_core::server::{Server, ShutdownWatch};
use pingora_core::services::listening::Service;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n";

struct Once;

#[async_trait]
impl ServerApp for Once {
    async fn process_new(self: &Arc<Self>, mut stream: Stream, _shutdown: &ShutdownWatch) -> Option<Stream> {
        let mut request = [0; 4096];
        // A client that goes away is nobody's trouble.
        if stream.read(&mut request).await.is_ok_and(|length| length > 0) {
            let _ = stream.write_all(ANSWER).await;
        }
        let _ = stream.shutdown().await;
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, port, certificate, key, threads] = arguments.as_slice() else {
        return Err("usage: pingora-server PORT CERTIFICATE KEY THREADS".into());
    };
    let configuration = ServerConf { threads: threads.parse()?, work_stealing: false, ..ServerConf::default() };
    let mut server = Server::new_with_opt_and_conf(None, configuration);
    server.bootstrap();
    let mut service = Service::new("once".to_string(), Once);
    service.add_tls(&format!("127.0.0.1:{port}"), certificate, key)?;
    server.add_service(service);
    server.run_forever()
}
