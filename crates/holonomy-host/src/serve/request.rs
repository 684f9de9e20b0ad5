//! A request, read and judged.

/// A request that may be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The page that is asked for: the path behind the token.
    pub page: String,
    /// What stands after the question mark.
    pub query: String,
    /// Whether only the header fields are wanted.
    pub(super) head: bool,
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not a request in HTTP/1.
    Malformed,
    /// From a page of another origin, or to another name of this machine.
    Foreign,
    /// Without the token, or for a page that is not there.
    Elsewhere,
    /// Neither `GET` nor `HEAD`.
    Method,
    /// It took too long.
    TooSlow,
    /// It has a body.
    Body,
    /// Its header fields are too long.
    TooLong,
}

/// Bytes of a request.
pub(super) const LONGEST: usize = 16 << 10;

/// Reads a request without the blank line at its end.
pub(super) fn read(bytes: &[u8], port: u16, token: &str) -> Result<Request, Refusal> {
    let text = std::str::from_utf8(bytes).map_err(|_| Refusal::Malformed)?;
    let mut lines = text.split("\r\n");
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, "HTTP/1.1" | "HTTP/1.0"] = words[..] else {
        return Err(Refusal::Malformed);
    };
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let mut named = 0;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(Refusal::Malformed)?;
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(letter) || value.contains(['\r', '\n', '\0']) {
            return Err(Refusal::Malformed);
        }
        let value = value.trim_matches([' ', '\t']);
        match name.to_ascii_lowercase().as_str() {
            "host" => {
                named += 1;
                if !hosts.iter().any(|host| host.eq_ignore_ascii_case(value)) {
                    return Err(Refusal::Foreign);
                }
            }
            "origin" => {
                let ours = |host: &String| value == format!("http://{host}");
                if !hosts.iter().any(ours) {
                    return Err(Refusal::Foreign);
                }
            }
            "content-length" if value != "0" => return Err(Refusal::Body),
            "transfer-encoding" => return Err(Refusal::Body),
            _ => {}
        }
    }
    match named {
        0 => return Err(Refusal::Foreign),
        1 => {}
        _ => return Err(Refusal::Malformed),
    }
    if !matches!(method, "GET" | "HEAD") {
        return Err(Refusal::Method);
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let behind = path.strip_prefix('/').ok_or(Refusal::Malformed)?;
    let (given, page) = behind.split_once('/').ok_or(Refusal::Elsewhere)?;
    if !same(given.as_bytes(), token.as_bytes()) {
        return Err(Refusal::Elsewhere);
    }
    Ok(Request {
        page: page.to_owned(),
        query: query.to_owned(),
        head: method == "HEAD",
    })
}

/// Whether two texts are equal, in a time that does not tell where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(request: &str) -> Result<Request, Refusal> {
        read(request.as_bytes(), 8080, "0123")
    }

    #[test]
    fn our_own_requests_are_answered() {
        let request = judged("GET /0123/film.json?since=4 HTTP/1.1\r\nHost: localhost:8080\r\nAccept: */*");
        let request = request.expect("it is ours");
        assert_eq!(
            (&*request.page, &*request.query, request.head),
            ("film.json", "since=4", false)
        );
        let request = judged("HEAD /0123/ HTTP/1.1\r\nhost:127.0.0.1:8080\r\nOrigin: http://127.0.0.1:8080");
        assert!(request.is_ok_and(|request| request.head && request.page.is_empty()));
    }

    #[test]
    fn others_are_refused_with_the_reason() {
        let host = "Host: 127.0.0.1:8080";
        for (request, refusal) in [
            (format!("GET /0124/ HTTP/1.1\r\n{host}"), Refusal::Elsewhere),
            (format!("GET /0123 HTTP/1.1\r\n{host}"), Refusal::Elsewhere),
            (format!("GET / HTTP/1.1\r\n{host}"), Refusal::Elsewhere),
            (
                "GET /0123/ HTTP/1.1\r\nHost: evil.example:8080".into(),
                Refusal::Foreign,
            ),
            (
                "GET /0123/ HTTP/1.1\r\nHost: 127.0.0.1:8081".into(),
                Refusal::Foreign,
            ),
            ("GET /0123/ HTTP/1.1".into(), Refusal::Foreign),
            (
                format!("GET /0123/ HTTP/1.1\r\n{host}\r\nOrigin: null"),
                Refusal::Foreign,
            ),
            (
                format!("GET /0123/ HTTP/1.1\r\n{host}\r\nOrigin: http://evil.example"),
                Refusal::Foreign,
            ),
            (
                format!("GET /0123/ HTTP/1.1\r\n{host}\r\nOrigin: https://127.0.0.1:8080"),
                Refusal::Foreign,
            ),
            (
                format!("GET /0123/ HTTP/1.1\r\n{host}\r\n{host}"),
                Refusal::Malformed,
            ),
            (format!("POST /0123/ HTTP/1.1\r\n{host}"), Refusal::Method),
            (
                format!("GET /0123/ HTTP/1.1\r\n{host}\r\nContent-Length: 3"),
                Refusal::Body,
            ),
            (
                format!("GET http://127.0.0.1/0123/ HTTP/1.1\r\n{host}"),
                Refusal::Malformed,
            ),
            (format!("GET /0123/ HTTP/2\r\n{host}"), Refusal::Malformed),
            (
                format!("GET /0123/ HTTP/1.1\r\n{host}\r\n folded"),
                Refusal::Malformed,
            ),
            (String::new(), Refusal::Malformed),
        ] {
            assert_eq!(judged(&request), Err(refusal), "{request:?}");
        }
    }
}
