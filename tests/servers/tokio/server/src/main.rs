// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! A TLS server on tokio and tokio-openssl. It answers each connection once and ends it.
//!
//! usage: tokio-server PORT CERTIFICATE KEY THREADS; with one thread it uses the current-thread runtime.

use std::error::Error;
use std::pin::Pin;

use openssl::ssl::{Ssl, SslAcceptor, SslFiletype, SslMethod};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_openssl::SslStream;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n";

async fn answer(ssl: Ssl, socket: TcpStream) -> Result<(), Box<dyn Error>> {
    let mut stream = SslStream::new(ssl, socket)?;
    let mut request = [0; 4096];
    Pin::new(&mut stream).accept().await?;
    if stream.read(&mut request).await? > 0 {
        stream.write_all(ANSWER).await?;
    }
    stream.shutdown().await?;
    Ok(())
}

async fn serve(port: u16, acceptor: SslAcceptor) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (socket, _) = listener.accept().await?;
        let ssl = Ssl::new(acceptor.context())?;
        // A client that goes away is nobody's trouble.
        tokio::spawn(async move {
            let _ = answer(ssl, socket).await.map_err(|error| error.to_string());
        });
    }
}

fn acceptor(certificate: &str, key: &str) -> Result<SslAcceptor, Box<dyn Error>> {
    let mut builder = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls())?;
    builder.set_certificate_chain_file(certificate)?;
    builder.set_private_key_file(key, SslFiletype::PEM)?;
    Ok(builder.build())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, port, certificate, key, threads] = arguments.as_slice() else {
        return Err("usage: tokio-server PORT CERTIFICATE KEY THREADS".into());
    };
    let threads: usize = threads.parse()?;
    let runtime = if threads == 1 {
        tokio::runtime::Builder::new_current_thread().enable_io().build()?
    } else {
        tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_io().build()?
    };
    runtime.block_on(serve(port.parse()?, acceptor(certificate, key)?))
}
