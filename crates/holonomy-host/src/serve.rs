//! Pages for the browser of this machine, and for nobody else.
//!
//! The server listens on the loopback address only, on a port that the system chooses, under a path that cannot be
//! guessed. It refuses other paths, requests whose `Host` or `Origin` is not its own (a page of another site that asks
//! through the browser, also by a name that it has bound to this address), everything but `GET` and `HEAD`, and requests
//! that are long or slow.
//!
//! On `std::net` and not on a library: of the light ones `tiny_http` has no limits for time and size, and had its
//! last release in 2022; what is needed here, one small request per connection, is little.
mod request;

pub use request::{Refusal, Request};

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A server that is not yet serving.
pub struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
}

/// What is sent back.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A page in HTML.
    Page(Body),
    /// A value in JSON.
    Json(Body),
    /// Nothing new.
    Nothing,
    /// There is no such page.
    Missing,
}

/// The bytes of a reply.
#[derive(Clone, Debug)]
pub enum Body {
    /// Part of the program.
    Fixed(&'static [u8]),
    /// Made for this reply, or for several.
    Made(Arc<[u8]>),
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Made(text.into_bytes().into())
    }
}

impl Body {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Fixed(bytes) => bytes,
            Self::Made(bytes) => bytes,
        }
    }
}

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// No port of the loopback address can be had.
    #[error("cannot listen on 127.0.0.1: {0}")]
    NoPort(#[source] io::Error),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes for the address of the page: {0}")]
    NoToken(#[source] getrandom::Error),
}

/// A request must be here, and a reply taken, within these times.
const ASKING: Duration = Duration::from_secs(5);
const ANSWERING: Duration = Duration::from_secs(60);
/// How long one wait lasts at most: how soon the server sees that it should end.
const PATIENCE: Duration = Duration::from_millis(100);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
/// Connections at once.
const MOST: usize = 32;

impl Server {
    /// Takes a port and makes up a path. Nobody is answered yet.
    pub fn open() -> Result<Self, ServeError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(ServeError::NoToken)?;
        let listen = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((listener, port))
        };
        let (listener, port) = listen().map_err(ServeError::NoPort)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            listener,
            port,
            token,
        })
    }

    /// The address of the page that is called "".
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Answers requests until `stop` becomes true.
    pub fn serve(&self, stop: &AtomicBool, answer: &(dyn Fn(&Request) -> Reply + Sync)) {
        let busy = AtomicUsize::new(0);
        thread::scope(|scope| {
            while !stop.load(Ordering::Relaxed) {
                let Ok((stream, _)) = self.listener.accept() else {
                    thread::sleep(BETWEEN_LOOKS);
                    continue;
                };
                if busy.fetch_add(1, Ordering::Relaxed) >= MOST {
                    // Closed at once; the browser asks again.
                    busy.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let busy = &busy;
                let begun = thread::Builder::new().spawn_scoped(scope, move || {
                    // A connection that breaks concerns nobody else.
                    let _ = self.converse(stream, stop, answer);
                    busy.fetch_sub(1, Ordering::Relaxed);
                });
                if begun.is_err() {
                    busy.fetch_sub(1, Ordering::Relaxed);
                }
            }
        });
    }

    /// One request and its reply.
    fn converse(
        &self,
        mut stream: TcpStream,
        stop: &AtomicBool,
        answer: &(dyn Fn(&Request) -> Reply + Sync),
    ) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (head, message) = match receive(&mut stream, stop)? {
            None => return Ok(()),
            Some(Err(refusal)) => (false, refused(refusal)),
            Some(Ok(bytes)) => match request::read(&bytes, self.port, &self.token) {
                Err(refusal) => (false, refused(refusal)),
                Ok(request) => (request.head, replied(answer(&request))),
            },
        };
        let Message {
            status,
            extra,
            kind,
            body,
        } = message;
        let length = body.bytes().len();
        let fields = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{extra}{HEADERS}\r\n"
        );
        send(&mut stream, fields.as_bytes(), stop)?;
        if !head {
            send(&mut stream, body.bytes(), stop)?;
        }
        // What was sent would be lost if the connection were closed with bytes that nobody has read.
        stream.shutdown(Shutdown::Write)?;
        let mut rest = [0; 4096];
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end && stream.read(&mut rest)? > 0 {}
        Ok(())
    }
}

/// The bytes of a request up to the blank line; `None` if nobody waits for a reply.
fn receive(stream: &mut TcpStream, stop: &AtomicBool) -> io::Result<Option<Result<Vec<u8>, Refusal>>> {
    let end = Instant::now() + ASKING;
    let mut bytes = Vec::new();
    let mut piece = [0; 2048];
    loop {
        match stream.read(&mut piece) {
            Ok(0) if bytes.is_empty() => return Ok(None),
            Ok(0) => return Ok(Some(Err(Refusal::Malformed))),
            Ok(count) => {
                let seen = bytes.len().saturating_sub(3);
                bytes.extend_from_slice(&piece[..count]);
                if let Some(length) = bytes[seen..].windows(4).position(|four| four == b"\r\n\r\n") {
                    bytes.truncate(seen + length);
                    let fits = bytes.len() <= request::LONGEST;
                    return Ok(Some(if fits { Ok(bytes) } else { Err(Refusal::TooLong) }));
                }
                if bytes.len() > request::LONGEST {
                    return Ok(Some(Err(Refusal::TooLong)));
                }
            }
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if Instant::now() > end {
            // Browsers open connections in advance and say nothing on them.
            return Ok((!bytes.is_empty()).then_some(Err(Refusal::TooSlow)));
        }
    }
}

fn send(stream: &mut TcpStream, mut bytes: &[u8], stop: &AtomicBool) -> io::Result<()> {
    let end = Instant::now() + ANSWERING;
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
        if !bytes.is_empty() && (stop.load(Ordering::Relaxed) || Instant::now() > end) {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}

fn waits(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

struct Message {
    status: &'static str,
    extra: &'static str,
    kind: &'static str,
    body: Body,
}

/// Said of every reply. A page may run what it brings with it, and ask this server; nothing else.
const HEADERS: &str = "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; \
    style-src 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob:; connect-src 'self' data: blob:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cache-Control: no-store\r\n\
    Referrer-Policy: no-referrer\r\n\
    Connection: close\r\n";

fn replied(reply: Reply) -> Message {
    let (status, kind, body) = match reply {
        Reply::Page(body) => ("200 OK", "text/html; charset=utf-8", body),
        Reply::Json(body) => ("200 OK", "application/json", body),
        Reply::Nothing => ("204 No Content", TEXT, Body::Fixed(&[])),
        Reply::Missing => return refused(Refusal::Elsewhere),
    };
    Message {
        status,
        extra: "",
        kind,
        body,
    }
}

const TEXT: &str = "text/plain; charset=utf-8";

fn refused(refusal: Refusal) -> Message {
    let (status, extra) = match refusal {
        Refusal::Malformed => ("400 Bad Request", ""),
        Refusal::Foreign => ("403 Forbidden", ""),
        Refusal::Elsewhere => ("404 Not Found", ""),
        Refusal::Method => ("405 Method Not Allowed", "Allow: GET, HEAD\r\n"),
        Refusal::TooSlow => ("408 Request Timeout", ""),
        Refusal::Body => ("413 Content Too Large", ""),
        Refusal::TooLong => ("431 Request Header Fields Too Large", ""),
    };
    Message {
        status,
        extra,
        kind: TEXT,
        body: Body::Fixed(status.as_bytes()),
    }
}
