// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! A load of full handshakes on a server of HTTP/3, in a closed loop. The signature is checked; the certificate is not,
//! since a measured server has made its own. A handshake counts when the server has opened a stream behind it.

use std::cell::RefCell;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ClientConfig, ConnectionError, Endpoint, TransportErrorCode};
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::version::TLS13;
use rustls::{DigitallySignedStruct, SignatureScheme};
use tokio::task::LocalSet;

use crate::stream::DONE;

pub struct Options {
    pub port: u16,
    pub connections: u64,
    pub seconds: f64,
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

/// quinn sends a parameter of a reserved number, as RFC 9000 asks of clients. nginx 1.30 takes its lowest 16 bits for
/// the number, so that one in some thousand handshakes has what looks like a broken parameter. Such a one is made anew.
fn is_misread(error: &ConnectionError) -> bool {
    matches!(error, ConnectionError::ConnectionClosed(close)
        if close.error_code == TransportErrorCode::crypto(MISSING_EXTENSION))
}

/// Full handshakes only: nothing is remembered of earlier ones.
fn config() -> Result<ClientConfig, Box<dyn Error>> {
    let provider = ring::default_provider();
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
    first_failure: String,
}

async fn one(endpoint: &Endpoint, address: SocketAddr) -> Result<(), Box<dyn Error>> {
    let connection = endpoint.connect(address, "localhost")?.await?;
    connection.accept_uni().await?;
    connection.close(0u32.into(), DONE);
    Ok(())
}

fn misread(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<ConnectionError>().is_some_and(is_misread)
}

async fn again_and_again(endpoint: Endpoint, address: SocketAddr, until: Instant, counts: Rc<RefCell<Counts>>) {
    while Instant::now() < until {
        let result = one(&endpoint, address).await;
        let mut counts = counts.borrow_mut();
        match result {
            Ok(()) => counts.completed += 1,
            Err(error) if misread(error.as_ref()) => counts.misread += 1,
            Err(error) => {
                counts.failed += 1;
                if counts.failed == 1 {
                    counts.first_failure = error.to_string();
                }
                return;
            }
        }
    }
}

pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let mut endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    endpoint.set_default_client_config(config()?);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    let counts = Rc::new(RefCell::new(Counts::default()));
    let began = Instant::now();
    let until = began + Duration::from_secs_f64(options.seconds);
    let tasks = LocalSet::new();
    for _ in 0..options.connections {
        tasks.spawn_local(again_and_again(endpoint.clone(), address, until, counts.clone()));
    }
    tasks.await;
    let seconds = began.elapsed().as_secs_f64();
    endpoint.wait_idle().await;
    let counts = counts.borrow();
    println!(
        concat!(
            r#"{{"completed": {}, "misread": {}, "failed_total": {}, "first_failure": {:?}, "#,
            r#""handshakes_per_s": {:.3}}}"#
        ),
        counts.completed,
        counts.misread,
        counts.failed,
        counts.first_failure,
        counts.completed as f64 / seconds
    );
    Ok(())
}
