// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! The server: serves one connection, then says what that took.

use std::error::Error;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use octuple::Aead;
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Connection, ConnectionError, Endpoint, RecvStream, SendStream, ServerConfig, StoppedError};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::version::TLS13;

use crate::stream::{DONE, Stream};

pub struct Options {
    pub stack: Stack,
    /// Where the certificate goes, for the client to trust.
    pub certificate: PathBuf,
}

#[derive(Clone, Copy)]
pub enum Stack {
    Stock,
    Octuple,
}

impl Stack {
    fn provider(self) -> CryptoProvider {
        match self {
            Self::Stock => ring::default_provider(),
            Self::Octuple => octuple::rustls::provider(),
        }
    }

    /// Which of Octuple's vectors serve AES-128-GCM, AES-256-GCM, ChaCha20-Poly1305.
    fn tiers(self) -> String {
        let tier = |aead: Aead| match self {
            Self::Stock => "none",
            Self::Octuple => aead.tier(),
        };
        format!("{:?}", [Aead::Aes128Gcm, Aead::Aes256Gcm, Aead::ChaCha20Poly1305].map(tier))
    }
}

/// Seconds of CPU that this process has used.
fn cpu_seconds() -> Result<f64, nix::Error> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6)
}

fn config(options: Options) -> Result<ServerConfig, Box<dyn Error>> {
    let made = rcgen::generate_simple_self_signed(["localhost".into()])?;
    std::fs::write(&options.certificate, made.cert.der())?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let tls = rustls::ServerConfig::builder_with_provider(Arc::new(options.stack.provider()))
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())?;
    Ok(ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?)))
}

/// The request is a number of bytes; the answer has as many.
async fn answer(stream: &Stream, mut send: SendStream, mut receive: RecvStream) -> Result<u64, Box<dyn Error>> {
    let mut request = [0; 8];
    receive.read_exact(&mut request).await?;
    let (total, mut place) = (u64::from_le_bytes(request), 0);
    while place < total {
        let part = stream.at(place, total - place);
        place += part.len() as u64;
        send.write_chunk(part).await?;
    }
    send.finish()?;
    match send.stopped().await {
        Ok(None) => Ok(total),
        Ok(Some(code)) => Err(format!("the client stopped the stream: {code}").into()),
        // A client that has all may have closed before its last acknowledgement came.
        Err(StoppedError::ConnectionLost(ConnectionError::ApplicationClosed(close))) if close.reason == DONE => {
            Ok(total)
        }
        Err(error) => Err(error.into()),
    }
}

fn report(connection: &Connection, bytes: u64, cpu: f64) {
    let path = connection.stats().path;
    println!(
        r#"{{"bytes": {bytes}, "cpu_s": {cpu:.6}, "cpu_s_per_gb": {:.4}, "packets": {}, "lost": {}, "mtu": {}}}"#,
        cpu * 1e9 / bytes as f64,
        path.sent_packets,
        path.lost_packets,
        path.current_mtu
    );
}

pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let (stream, tiers) = (Stream::new(), options.stack.tiers());
    let endpoint = Endpoint::server(config(options)?, (Ipv4Addr::LOCALHOST, 0).into())?;
    println!(r#"{{"port": {}, "tiers": {tiers}}}"#, endpoint.local_addr()?.port());
    let incoming = endpoint.accept().await.ok_or("nobody came")?;
    let before = cpu_seconds()?;
    let connection = incoming.await?;
    let (send, receive) = connection.accept_bi().await?;
    let bytes = answer(&stream, send, receive).await?;
    report(&connection, bytes, cpu_seconds()? - before);
    connection.closed().await;
    endpoint.wait_idle().await;
    Ok(())
}
