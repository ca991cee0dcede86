// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! Moves a stream from a QUIC server to a client on this machine, and says as JSON what that took.
#![forbid(unsafe_code)]

mod fetch;
mod handshakes;
mod hybrid;
mod relay;
mod serve;
mod stream;

use std::error::Error;
use std::process::ExitCode;

use pico_args::Arguments;
use rustls::CipherSuite;

const USAGE: &str = "\
usage: transfer serve --stack stock|octuple --certificate FILE
       transfer fetch --port PORT --certificate FILE --bytes N [--suite aes128|aes256|chacha20]
                      [--loss PART --reorder PART [--seed N]]
       transfer handshakes --port PORT --connections N --seconds S [--hybrid] [--give-up PART]
                      [--loss PART --reorder PART [--seed N]]

`serve` writes its certificate to FILE, prints its port and which of Octuple's vectors are at work, serves one
connection, prints the CPU time that it took, and ends. `fetch` asks it for N bytes, checks them, and prints the time
that they took; with --loss or --reorder through a relay that loses and delays these parts (0.01: one in a hundred) of
the datagrams of both directions. `handshakes` makes full handshakes with a server of HTTP/3, on N connections at a
time, and counts them; with --hybrid by X25519MLKEM768. It gives up PART of them in the middle.
";

fn suite(name: &str) -> Result<CipherSuite, String> {
    match name {
        "aes128" => Ok(CipherSuite::TLS13_AES_128_GCM_SHA256),
        "aes256" => Ok(CipherSuite::TLS13_AES_256_GCM_SHA384),
        "chacha20" => Ok(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256),
        _ => Err(format!("{name} is none of aes128, aes256, chacha20")),
    }
}

fn stack(name: &str) -> Result<serve::Stack, String> {
    match name {
        "stock" => Ok(serve::Stack::Stock),
        "octuple" => Ok(serve::Stack::Octuple),
        _ => Err(format!("{name} is neither stock nor octuple")),
    }
}

fn at_least_one(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|&bytes| bytes > 0).ok_or(format!("{text} is no number above 0"))
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|s| (0.0..=3600.0).contains(s)).ok_or(format!("{text} is not between 0 and 3600"))
}

fn part(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|part| (0.0..=0.5).contains(part)).ok_or(format!("{text} is not between 0 and 0.5"))
}

fn weather(arguments: &mut Arguments) -> Result<Option<relay::Weather>, pico_args::Error> {
    let loss = arguments.opt_value_from_fn("--loss", part)?;
    let reorder = arguments.opt_value_from_fn("--reorder", part)?;
    let seed = arguments.opt_value_from_str("--seed")?.unwrap_or(1);
    let bad = loss.is_some() || reorder.is_some();
    Ok(bad.then(|| relay::Weather { loss: loss.unwrap_or(0.0), reorder: reorder.unwrap_or(0.0), seed }))
}

enum Command {
    Serve(serve::Options),
    Fetch(fetch::Options),
    Handshakes(handshakes::Options),
}

fn command(arguments: &mut Arguments) -> Result<Command, Box<dyn Error>> {
    match arguments.subcommand()?.as_deref() {
        Some("serve") => Ok(Command::Serve(serve::Options {
            stack: arguments.value_from_fn("--stack", stack)?,
            certificate: arguments.value_from_str("--certificate")?,
        })),
        Some("fetch") => Ok(Command::Fetch(fetch::Options {
            port: arguments.value_from_str("--port")?,
            certificate: arguments.value_from_str("--certificate")?,
            suite: arguments.opt_value_from_fn("--suite", suite)?.unwrap_or(CipherSuite::TLS13_AES_128_GCM_SHA256),
            bytes: arguments.value_from_fn("--bytes", at_least_one)?,
            weather: weather(arguments)?,
        })),
        Some("handshakes") => Ok(Command::Handshakes(handshakes::Options {
            port: arguments.value_from_str("--port")?,
            connections: arguments.value_from_fn("--connections", at_least_one)?,
            seconds: arguments.value_from_fn("--seconds", seconds)?,
            hybrid: arguments.contains("--hybrid"),
            give_up: arguments.opt_value_from_fn("--give-up", part)?.unwrap_or(0.0),
            weather: weather(arguments)?,
        })),
        _ => Err("there are three commands: serve, fetch, handshakes".into()),
    }
}

fn parsed(mut arguments: Arguments) -> Result<Command, Box<dyn Error>> {
    let command = command(&mut arguments)?;
    match arguments.finish().first() {
        Some(unknown) => Err(format!("unknown argument {}", unknown.to_string_lossy()).into()),
        None => Ok(command),
    }
}

/// On one thread: what is measured is one core.
fn run(command: Command) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match command {
        Command::Serve(options) => runtime.block_on(serve::run(options)),
        Command::Fetch(options) => runtime.block_on(fetch::run(options)),
        Command::Handshakes(options) => runtime.block_on(handshakes::run(options)),
    }
}

fn main() -> ExitCode {
    let command = match parsed(Arguments::from_env()) {
        Ok(command) => command,
        Err(error) => {
            eprint!("transfer: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("transfer: {error}");
            ExitCode::FAILURE
        }
    }
}
