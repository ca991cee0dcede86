// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! A bad network: a relay between a client and a server that loses some datagrams and lets others arrive late, in both
//! directions, by a seed.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use crate::stream::Random;

/// How bad: parts of 1.
#[derive(Clone, Copy)]
pub struct Weather {
    pub loss: f64,
    pub reorder: f64,
    pub seed: u64,
}

#[derive(Default)]
pub struct Counts {
    pub datagrams: AtomicU64,
    pub lost: AtomicU64,
    pub reordered: AtomicU64,
}

pub struct Relay {
    pub address: SocketAddr,
    pub counts: Arc<Counts>,
}

/// Whoever was overtaken by as many as this still comes.
const LATE_BY: u64 = 8;
/// When nobody comes who could overtake.
const PATIENCE: Duration = Duration::from_millis(5);
const BUFFER: usize = 4 << 20;

impl Relay {
    /// Relays until the process ends.
    pub fn start(server: SocketAddr, weather: Weather) -> io::Result<Self> {
        let (near, far) = (Arc::new(socket()?), Arc::new(socket()?));
        far.connect(server)?;
        let (address, counts) = (near.local_addr()?, Arc::new(Counts::default()));
        let client = Arc::new(OnceLock::new());
        let up = Way { weather, random: Random(weather.seed), late: None, counts: counts.clone() };
        let down = Way { weather, random: Random(!weather.seed), late: None, counts: counts.clone() };
        let (near_up, far_up, client_up) = (near.clone(), far.clone(), client.clone());
        thread::spawn(move || {
            up.run(&near_up, |datagram, from| {
                client_up.get_or_init(|| from);
                far_up.send(datagram)
            })
        });
        // Nothing comes down before something has gone up.
        let to_client = move |datagram: &[u8], _| client.get().map_or(Ok(0), |client| near.send_to(datagram, client));
        thread::spawn(move || down.run(&far, to_client));
        Ok(Self { address, counts })
    }
}

fn socket() -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    SockRef::from(&socket).set_recv_buffer_size(BUFFER)?;
    SockRef::from(&socket).set_send_buffer_size(BUFFER)?;
    Ok(socket)
}

/// A datagram that is held back until so many others have gone.
struct Late {
    wait: u64,
    datagram: Vec<u8>,
    from: SocketAddr,
}

/// One direction.
struct Way {
    weather: Weather,
    random: Random,
    late: Option<Late>,
    counts: Arc<Counts>,
}

impl Way {
    fn run(mut self, socket: &UdpSocket, send: impl Fn(&[u8], SocketAddr) -> io::Result<usize>) {
        let mut buffer = [0; 65536];
        socket.set_read_timeout(Some(PATIENCE)).expect("a time-out that is not 0");
        // A datagram that cannot be sent is lost, as in any network: QUIC sends its content again.
        loop {
            match socket.recv_from(&mut buffer) {
                Ok((len, from)) => self.pass(&buffer[..len], from, &send),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    self.release(&send)
                }
                Err(_) => {}
            }
        }
    }

    fn pass(&mut self, datagram: &[u8], from: SocketAddr, send: &impl Fn(&[u8], SocketAddr) -> io::Result<usize>) {
        let fate = self.random.fraction();
        self.counts.datagrams.fetch_add(1, Relaxed);
        if fate < self.weather.loss {
            self.counts.lost.fetch_add(1, Relaxed);
        } else if fate < self.weather.loss + self.weather.reorder && self.late.is_none() {
            self.counts.reordered.fetch_add(1, Relaxed);
            self.late = Some(Late { wait: 1 + self.random.next() % LATE_BY, datagram: datagram.to_vec(), from });
        } else {
            let _ = send(datagram, from);
            if self.late.as_mut().is_some_and(|late| {
                late.wait -= 1;
                late.wait == 0
            }) {
                self.release(send);
            }
        }
    }

    fn release(&mut self, send: &impl Fn(&[u8], SocketAddr) -> io::Result<usize>) {
        if let Some(late) = self.late.take() {
            let _ = send(&late.datagram, late.from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn some_are_lost_and_some_are_late_by_a_few() {
        const COUNT: u32 = 100_000;
        let weather = Weather { loss: 0.01, reorder: 0.01, seed: 5 };
        let mut way = Way { weather, random: Random(5), late: None, counts: Arc::default() };
        let came = RefCell::new(Vec::new());
        let send = |datagram: &[u8], _| {
            came.borrow_mut().push(u32::from_be_bytes(datagram.try_into().unwrap()));
            Ok(datagram.len())
        };
        for number in 0..COUNT {
            way.pass(&number.to_be_bytes(), (Ipv4Addr::LOCALHOST, 1).into(), &send);
        }
        way.release(&send);
        let came = came.take();
        let overtaken = came.windows(2).filter(|two| two[0] > two[1]).count() as u64;
        let lost = way.counts.lost.load(Relaxed);
        assert_eq!(came.len() as u64 + lost, u64::from(COUNT), "nothing comes twice");
        assert!((800..1200).contains(&lost), "{lost} of {COUNT} were lost");
        assert!((800..1200).contains(&overtaken), "{overtaken} of {COUNT} were late");
        assert!(way.counts.reordered.load(Relaxed) >= overtaken);
        for late in came.windows(LATE_BY as usize + 2) {
            assert!(late[1..].iter().all(|&other| other + 100 > late[0]), "late by a few, not by many");
        }
    }
}
