// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! A load of full handshakes on a server of HTTP/3, in a closed loop. The signature is checked; the certificate is not,
//! since a measured server has made its own. A handshake counts when the server has opened a stream behind it. Some may
//! be given up while the server works on them, and the network may be a bad one.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ClientConfig, ConnectionError, Endpoint, TransportErrorCode};
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, SupportedKxGroup, ring, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::version::TLS13;
use rustls::{DigitallySignedStruct, SignatureScheme};
use tokio::task::LocalSet;
use tokio::time::timeout;

use crate::hybrid::HYBRID;
use crate::relay::{Relay, Weather};
use crate::stream::{DONE, Random};

pub struct Options {
    pub port: u16,
    pub connections: u64,
    pub seconds: f64,
    /// X25519MLKEM768 is the only group.
    pub hybrid: bool,
    /// Which part of the handshakes is given up.
    pub give_up: f64,
    pub weather: Option<Weather>,
}

#[derive(Debug)]
struct AnyCertificate(CryptoProvider);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("QUIC has no TLS 1.2".into()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The alert of a server that lacks the transport parameters, as a code of QUIC.
const MISSING_EXTENSION: u8 = 109;
/// One that is given up ends within so many milliseconds.
const GIVEN_UP_AFTER: u64 = 30;
/// Any other one fails behind so many seconds: lost packets take less.
const LIMIT: u64 = 20;

/// quinn sends a parameter of a reserved number, as RFC 9000 asks of clients. nginx 1.30 takes its lowest 16 bits for
/// the number, so that one in some thousand handshakes has what looks like a broken parameter, or like another value of
/// a good one: of how many connection IDs a client allows, and then nginx gives more. Such a handshake is made anew.
fn is_misread(error: &ConnectionError) -> bool {
    match error {
        ConnectionError::ConnectionClosed(close) => {
            close.error_code == TransportErrorCode::crypto(MISSING_EXTENSION)
                || close.error_code == TransportErrorCode::TRANSPORT_PARAMETER_ERROR
        }
        ConnectionError::TransportError(ours) => ours.code == TransportErrorCode::CONNECTION_ID_LIMIT_ERROR,
        _ => false,
    }
}

/// Full handshakes only: nothing is remembered of earlier ones.
fn config(hybrid: bool) -> Result<ClientConfig, Box<dyn Error>> {
    let groups: Vec<&'static dyn SupportedKxGroup> =
        if hybrid { vec![&HYBRID] } else { ring::default_provider().kx_groups };
    let provider = CryptoProvider { kx_groups: groups, ..ring::default_provider() };
    let mut tls = rustls::ClientConfig::builder_with_provider(Arc::new(provider.clone()))
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h3".to_vec()];
    tls.resumption = Resumption::disabled();
    Ok(ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?)))
}

#[derive(Default)]
struct Counts {
    completed: u64,
    misread: u64,
    failed: u64,
    given_up: u64,
    took: Vec<Duration>,
    /// How many failed for each reason.
    failures: BTreeMap<String, u64>,
}

/// When the handshake was over. `reached` says how far it has come.
async fn one(endpoint: &Endpoint, address: SocketAddr, reached: &mut &str) -> Result<Instant, Box<dyn Error>> {
    *reached = "in the handshake";
    let connection = endpoint.connect(address, "localhost")?.await?;
    let done = Instant::now();
    *reached = "behind the handshake";
    connection.accept_uni().await?;
    connection.close(0u32.into(), DONE);
    Ok(done)
}

fn misread(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<ConnectionError>().is_some_and(is_misread)
}

/// One at a time, from a socket of its own. Those that are given up are chosen by a seed.
struct Client {
    endpoint: Endpoint,
    address: SocketAddr,
    until: Instant,
    give_up: f64,
    random: Random,
}

impl Client {
    async fn again_and_again(mut self, counts: Rc<RefCell<Counts>>) {
        while Instant::now() < self.until {
            if self.random.fraction() < self.give_up {
                let after = Duration::from_millis(self.random.next() % GIVEN_UP_AFTER);
                let _ = timeout(after, one(&self.endpoint, self.address, &mut "")).await;
                counts.borrow_mut().given_up += 1;
                continue;
            }
            let (began, mut reached) = (Instant::now(), "");
            let limit = Duration::from_secs(LIMIT);
            let result = match timeout(limit, one(&self.endpoint, self.address, &mut reached)).await {
                Ok(result) => result,
                Err(_) => Err(format!("nothing for {LIMIT} s").into()),
            };
            let mut counts = counts.borrow_mut();
            match result {
                Ok(took) => {
                    counts.completed += 1;
                    counts.took.push(took - began);
                }
                Err(error) if misread(error.as_ref()) => counts.misread += 1,
                Err(error) => {
                    counts.failed += 1;
                    *counts.failures.entry(format!("{reached}: {error}")).or_default() += 1;
                }
            }
        }
        self.endpoint.wait_idle().await;
    }
}

pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let (config, server) = (config(options.hybrid)?, SocketAddr::from((Ipv4Addr::LOCALHOST, options.port)));
    let counts = Rc::new(RefCell::new(Counts::default()));
    let began = Instant::now();
    let until = began + Duration::from_secs_f64(options.seconds);
    let tasks = LocalSet::new();
    for number in 1..=options.connections {
        let mut endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
        endpoint.set_default_client_config(config.clone());
        let address = match options.weather {
            Some(weather) => Relay::start(server, Weather { seed: weather.seed * 1000 + number, ..weather })?.address,
            None => server,
        };
        let client = Client { endpoint, address, until, give_up: options.give_up, random: Random(number) };
        tasks.spawn_local(client.again_and_again(counts.clone()));
    }
    tasks.await;
    let seconds = began.elapsed().as_secs_f64();
    let mut counts = counts.take();
    counts.took.sort();
    let median = counts.took.get(counts.took.len() / 2).copied().unwrap_or_default();
    let failures: Vec<String> = counts.failures.iter().map(|(why, count)| format!("{why:?}: {count}")).collect();
    println!(
        concat!(
            r#"{{"completed": {}, "misread": {}, "given_up": {}, "failed_total": {}, "failures": {{{}}}, "#,
            r#""p50_us": {:.1}, "handshakes_per_s": {:.3}}}"#
        ),
        counts.completed,
        counts.misread,
        counts.given_up,
        counts.failed,
        failures.join(", "),
        median.as_secs_f64() * 1e6,
        counts.completed as f64 / seconds
    );
    Ok(())
}
