//! Who may ask: every request passes here first, whatever its method and path.
//!
//! 1. The **host** it names must be ours. A page of another site whose name was made to lead here names its own (DNS rebinding).
//! 2. The **origin**, where the browser gives one, must be this page, and `Sec-Fetch-Site` must say so.
//! 3. Somebody must **know a secret**: the cookie, or `Authorization: Bearer` with the token. The token in the address of the
//!    first page is swapped for the cookie by a redirect, so that it stays in no address bar.
//!
//! Whoever passes keeps the connection, and a place among those let in. A refusal ends it: who may not ask cannot ask again and again on one
//! connection, nor hold it by not reading.

use crate::Error;
use crate::page;
use crate::reply::{GUARDS, Refusal};
use crate::room::Seat;
use crate::secret::Secret;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::Next;
use axum::response::IntoResponse;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

/// The hosts that a request may name and the secrets that let somebody in.
#[derive(Debug)]
pub(crate) struct Gate {
    hosts: Hosts,
    token: Secret,
    /// A token for the browser that the program opens: others may see the arguments of programs, so it serves once.
    once: Mutex<Option<Secret>>,
    cookie: Secret,
}

impl Gate {
    /// `host` is what the user asked for, `address` what came of it.
    pub(crate) fn new(host: &str, address: SocketAddr) -> Result<Self, Error> {
        Ok(Gate {
            hosts: Hosts::of(host, address),
            token: Secret::new()?,
            once: Mutex::new(Some(Secret::new()?)),
            cookie: Secret::new()?,
        })
    }

    /// The query of the address that people copy.
    pub(crate) fn query(&self) -> String {
        format!("token={}", self.token.text())
    }

    /// The query of the address that is opened by the program.
    pub(crate) fn query_once(&self) -> String {
        let once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        format!("token={}", once.as_ref().unwrap_or(&self.token).text())
    }

    /// Whether the start of a request shows a secret, wherever it stands: enough to be kept until it is checked.
    pub(crate) fn is_shown(&self, start: &[u8]) -> bool {
        let once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let secrets = [Some(&self.token), Some(&self.cookie), once.as_ref()];
        let mut words =
            start.split(|byte| !byte.is_ascii_hexdigit()).filter_map(|word| std::str::from_utf8(word).ok());
        words.any(|word| secrets.iter().flatten().any(|secret| secret.is(word)))
    }

    fn check(&self, request: &Request) -> Result<Passed, Refusal> {
        self.check_source(request)?;
        if request.headers().contains_key(header::TRANSFER_ENCODING) {
            // Beside `chunked` the parser drops a `Content-Length` and says nothing, so that two programs may see two requests in the same
            // bytes (RFC 9112, 6.3). No page sends chunks.
            let why = "send the body with its Content-Length, not in chunks";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, why));
        }
        let headers = request.headers();
        if let Some(token) = request.uri().query().and_then(token_of)
            && request.uri().path() == "/"
            && *request.method() == Method::GET
        {
            return match self.admits(token) {
                true => Ok(Passed::WithToken),
                false => Err(unknown()),
            };
        }
        let bearer =
            headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let known = bearer.is_some_and(|token| self.token.is(token.trim()));
        let cookie = self.cookie_name();
        match known || cookies(headers, &cookie).any(|value| self.cookie.is(value)) {
            true => Ok(Passed::Known),
            false => Err(unknown()),
        }
    }

    /// Host and origin.
    fn check_source(&self, request: &Request) -> Result<(), Refusal> {
        let forbidden = |why: &str| Refusal::new(StatusCode::FORBIDDEN, why);
        let headers = request.headers();
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) else {
            return Err(forbidden("a request must name one host"));
        };
        let authority = request.uri().authority().map(|authority| authority.as_str());
        if !self.hosts.allow(host) || authority.is_some_and(|named| !named.eq_ignore_ascii_case(host)) {
            return Err(forbidden(
                "this host is not served here: use the address that `clausality explore` printed",
            ));
        }
        for origin in headers.get_all(header::ORIGIN) {
            let ours = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
            if !ours.is_some_and(|origin| origin.eq_ignore_ascii_case(host)) {
                return Err(forbidden("requests of other pages are not answered"));
            }
        }
        for site in headers.get_all("sec-fetch-site") {
            if site != "same-origin" && site != "none" {
                return Err(forbidden("requests of other pages are not answered"));
            }
        }
        Ok(())
    }

    fn admits(&self, token: &str) -> bool {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        if once.as_ref().is_some_and(|secret| secret.is(token)) {
            *once = None;
            return true;
        }
        self.token.is(token)
    }

    /// Cookies do not know ports; with the port in its name, one explorer does not put another one's out.
    fn cookie_name(&self) -> String {
        format!("clausality-{}", self.hosts.port)
    }

    fn redirect(&self) -> Response<Body> {
        let cookie =
            format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name(), self.cookie.text());
        let headers =
            [(header::LOCATION, "/"), (header::SET_COOKIE, &cookie), (header::CACHE_CONTROL, "no-store")];
        (StatusCode::SEE_OTHER, headers).into_response()
    }
}

enum Passed {
    /// With the token in the address: to be swapped.
    WithToken,
    /// With the cookie, or the token in a header.
    Known,
}

fn unknown() -> Refusal {
    Refusal::new(
        StatusCode::UNAUTHORIZED,
        "open the whole address that `clausality explore` printed, with its token; a new start has a new one",
    )
}

/// Lets a request through or says why not; in either case the answer carries the guards.
pub(crate) async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response<Body> {
    // At this address somebody sits before a browser; everywhere else a program asks.
    let for_people = request.uri().path() == "/" && *request.method() == Method::GET;
    let checked = gate.check(&request);
    let is_let_in = checked.is_ok();
    if is_let_in && let Some(seat) = request.extensions().get::<Arc<Seat>>() {
        seat.let_in();
    }
    let mut response = match checked {
        Ok(Passed::Known) => next.run(request).await,
        Ok(Passed::WithToken) => gate.redirect(),
        Err(Refusal(status, _)) if for_people => (status, page::refused()).into_response(),
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    if !is_let_in {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in GUARDS {
        headers.insert(name, value);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn token_of(query: &str) -> Option<&str> {
    query.split('&').find_map(|part| part.strip_prefix("token="))
}

/// The values of all cookies of a name.
fn cookies<'h>(headers: &'h HeaderMap, name: &str) -> impl Iterator<Item = &'h str> {
    let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(other, _)| *other == name).map(|(_, value)| value)
}

/// The names under which this server may be asked.
#[derive(Debug)]
struct Hosts {
    port: u16,
    names: Vec<String>,
    /// Whether any address in figures will do: nobody can make one lead elsewhere.
    any_address: bool,
}

impl Hosts {
    fn of(host: &str, address: SocketAddr) -> Self {
        let shown = |ip: IpAddr| if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
        let mut names = vec![shown(address.ip())];
        if host.parse::<IpAddr>().is_err() {
            names.push(host.to_ascii_lowercase());
        }
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            names.extend(["127.0.0.1", "localhost", "[::1]"].map(String::from));
        }
        Hosts { port: address.port(), names, any_address: address.ip().is_unspecified() }
    }

    fn allow(&self, host: &str) -> bool {
        let colon = host.rfind(':').filter(|&at| !host[at..].contains(']'));
        let (name, port) = match colon {
            Some(at) => (&host[..at], &host[at + 1..]),
            None => (host, "80"),
        };
        let address = || name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
        let named = self.names.iter().any(|ours| ours.eq_ignore_ascii_case(name));
        // In the one way of writing it: `+80` and `080` are the same number, and no port.
        port == self.port.to_string() && (named || (self.any_address && address()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_may_be_named() {
        let local = Hosts::of("127.0.0.1", "127.0.0.1:8000".parse().unwrap());
        for good in ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"] {
            assert!(local.allow(good), "{good}");
        }
        for bad in [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "rebind.example:8000",
            "192.168.1.7:8000",
            "localhost:8000.evil",
            "localhost.:8000",
            "127.0.0.1:8000:8000",
            "[::1]",
            "localhost:08000x",
            "127.0.0.1:+8000",
            "127.0.0.1:08000",
            "127.0.0.1:",
            "127.0.0.1: 8000",
        ] {
            assert!(!local.allow(bad), "{bad}");
        }
        let everywhere = Hosts::of("0.0.0.0", "0.0.0.0:8000".parse().unwrap());
        assert!(everywhere.allow("192.168.1.7:8000") && everywhere.allow("[fe80::1]:8000"));
        assert!(!everywhere.allow("rebind.example:8000") && !everywhere.allow("192.168.1.7.example:8000"));
        let named = Hosts::of("Lab-7", "10.0.0.7:80".parse().unwrap());
        assert!(named.allow("lab-7") && named.allow("10.0.0.7:80") && !named.allow("localhost"));
    }

    #[test]
    fn a_secret_is_seen_in_the_start_of_a_request() {
        let gate = Gate::new("127.0.0.1", "127.0.0.1:8000".parse().unwrap()).unwrap();
        let (token, once, cookie) = (gate.query(), gate.query_once(), gate.cookie.text());
        for shown in [
            &format!("GET /?{token} HTTP/1.1"),
            &format!("GET /?{once} H"),
            &format!("Cookie: a=1; b={cookie}\r\n"),
        ] {
            assert!(gate.is_shown(shown.as_bytes()), "{shown}");
        }
        assert!(gate.admits(&once["token=".len()..]));
        for hidden in [
            "",
            "GET / HTTP/1.1",
            &token[..token.len() - 1],
            &format!("{token}0"),
            &format!("GET /?{once} H"),
        ] {
            assert!(!gate.is_shown(hidden.as_bytes()), "{hidden}");
        }
    }

    #[test]
    fn cookies_are_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; clausality-80=x; b=2"));
        headers.append(header::COOKIE, HeaderValue::from_static("clausality-80=y;clausality-8=z"));
        assert_eq!(cookies(&headers, "clausality-80").collect::<Vec<_>>(), ["x", "y"]);
    }
}
