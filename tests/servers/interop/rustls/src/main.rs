// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! rustls with a single TLS group, as client or as server. Either prints or answers the group that it negotiated.
//!
//! usage: interop groups
//!        interop client GROUP PORT CERTIFICATE
//!        interop server GROUP PORT CERTIFICATE KEY

use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, Stream};
use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const REQUEST: &[u8] = b"GET / HTTP/1.0\r\n\r\n";
const USAGE: &str = "usage: interop groups | client GROUP PORT CERTIFICATE | server GROUP PORT CERTIFICATE KEY";

/// aws-lc-rs with this group alone, so that a handshake that succeeds has used it.
fn provider(group: &str) -> Result<Arc<CryptoProvider>> {
    let all = aws_lc_rs::ALL_KX_GROUPS;
    let one = all.iter().copied().find(|kx| name(*kx).eq_ignore_ascii_case(group));
    let kx_groups = vec![one.ok_or(format!("rustls has no {group}"))?];
    Ok(Arc::new(CryptoProvider { kx_groups, ..aws_lc_rs::default_provider() }))
}

fn name(group: &dyn SupportedKxGroup) -> String {
    format!("{:?}", group.name())
}

fn negotiated(group: Option<&dyn SupportedKxGroup>) -> String {
    group.map_or_else(|| "none".into(), name)
}

fn client(group: &str, port: u16, certificate: &str) -> Result<()> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate)?)?;
    let config = ClientConfig::builder_with_provider(provider(group)?)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut tls = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    let mut answer = String::new();
    let mut stream = Stream::new(&mut tls, &mut socket);
    stream.write_all(REQUEST)?;
    stream.read_to_string(&mut answer)?;
    println!("group {}\n{answer}", negotiated(tls.negotiated_key_exchange_group()));
    Ok(())
}

fn answer(mut tls: ServerConnection, mut socket: TcpStream) -> Result<()> {
    while tls.is_handshaking() {
        tls.complete_io(&mut socket)?;
    }
    let group = negotiated(tls.negotiated_key_exchange_group());
    let mut stream = Stream::new(&mut tls, &mut socket);
    let _ = stream.read(&mut [0; 4096])?;
    write!(stream, "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\ngroup {group}\n")?;
    tls.send_close_notify();
    tls.complete_io(&mut socket)?;
    Ok(())
}

fn server(group: &str, port: u16, certificate: &str, key: &str) -> Result<()> {
    let chain = vec![CertificateDer::from_pem_file(certificate)?];
    let config = ServerConfig::builder_with_provider(provider(group)?)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_file(key)?)?;
    let config = Arc::new(config);
    for socket in TcpListener::bind(("127.0.0.1", port))?.incoming() {
        if let Err(error) = answer(ServerConnection::new(config.clone())?, socket?) {
            eprintln!("interop: {error}");
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["groups"] => aws_lc_rs::ALL_KX_GROUPS.iter().for_each(|kx| println!("{}", name(*kx))),
        ["client", group, port, certificate] => client(group, port.parse()?, certificate)?,
        ["server", group, port, certificate, key] => server(group, port.parse()?, certificate, key)?,
        _ => return Err(USAGE.into()),
    }
    Ok(())
}
