// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! The client: always ring's cryptography, so that two implementations meet. It fetches a stream and checks its digest.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ClientConfig, Connection, Endpoint};
use ring::digest::{Context, SHA256};
use rustls::RootCertStore;
use rustls::crypto::ring as stock;
use rustls::version::TLS13;

use crate::relay::{Relay, Weather};
use crate::stream::{DONE, Stream};

pub struct Options {
    pub port: u16,
    pub certificate: PathBuf,
    pub suite: rustls::CipherSuite,
    pub bytes: u64,
    pub weather: Option<Weather>,
}

/// Offers one suite only, so that it is the one that is used.
fn config(options: &Options) -> Result<ClientConfig, Box<dyn Error>> {
    let initial = stock::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().and_then(|suite| suite.quic_suite());
    let mut provider = stock::default_provider();
    provider.cipher_suites.retain(|suite| suite.suite() == options.suite);
    let mut roots = RootCertStore::empty();
    roots.add(std::fs::read(&options.certificate)?.into())?;
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let crypto = QuicClientConfig::with_initial(Arc::new(tls), initial.ok_or("no suite for Initial packets")?)?;
    Ok(ClientConfig::new(Arc::new(crypto)))
}

/// The digest of what comes, and how much that is.
async fn fetch(connection: &Connection, bytes: u64) -> Result<(Vec<u8>, u64), Box<dyn Error>> {
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(&bytes.to_le_bytes()).await?;
    send.finish()?;
    let (mut context, mut got) = (Context::new(&SHA256), 0);
    while let Some(chunk) = receive.read_chunk(usize::MAX, true).await? {
        context.update(&chunk.bytes);
        got += chunk.bytes.len() as u64;
    }
    Ok((context.finish().as_ref().to_vec(), got))
}

fn report(bytes: u64, seconds: f64, relay: Option<&Relay>) {
    let counts = relay.map(|relay| &relay.counts);
    let count = |of: fn(&crate::relay::Counts) -> u64| counts.map_or(0, |counts| of(counts));
    println!(
        concat!(
            r#"{{"bytes": {}, "seconds": {:.6}, "goodput_mb_s": {:.3}, "#,
            r#""datagrams": {}, "lost": {}, "reordered": {}}}"#
        ),
        bytes,
        seconds,
        bytes as f64 / 1e6 / seconds,
        count(|counts| counts.datagrams.load(Relaxed)),
        count(|counts| counts.lost.load(Relaxed)),
        count(|counts| counts.reordered.load(Relaxed))
    );
}

pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    let relay = options.weather.map(|weather| Relay::start(server, weather)).transpose()?;
    let address = relay.as_ref().map_or(server, |relay| relay.address);
    let endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    let began = Instant::now();
    let connection = endpoint.connect_with(config(&options)?, address, "localhost")?.await?;
    let (digest, got) = fetch(&connection, options.bytes).await?;
    let seconds = began.elapsed().as_secs_f64();
    connection.close(0u32.into(), DONE);
    endpoint.wait_idle().await;
    if got != options.bytes || digest != Stream::new().digest(options.bytes) {
        return Err(format!("{got} bytes came, and they are not the {} that were asked for", options.bytes).into());
    }
    report(got, seconds, relay.as_ref());
    Ok(())
}
