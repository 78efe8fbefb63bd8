//! Listening, and stopping in good order.

use crate::crowd;
use crate::gate::{self, Gate};
use crate::line::Line;
use crate::room::{Places, Room};
use crate::routes::{Desk, router};
use crate::{Error, Explored};
use axum::Router;
use axum::http::Request;
use axum::middleware::from_fn_with_state;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tower::ServiceExt;

/// Connections that the operating system keeps while they wait to be taken. One that finds no room there tries again after a second.
const BACKLOG: i32 = 4096;
/// Bytes that the operating system keeps for a connection in each direction. Left alone it keeps megabytes for whoever never reads, and a few hundred
/// of those take the memory that all connections of a machine share: then what others send is dropped, and comes seconds late.
const WIRE_BYTES: usize = 128 << 10;
/// How long a client may take to say what it wants.
const HEADER_TIME: Duration = Duration::from_secs(20);
/// How long a client may take nothing of its answer.
const WRITE_TIME: Duration = Duration::from_secs(10);
/// How long requests under way may take to end after the server was stopped.
const FAREWELL: Duration = Duration::from_secs(2);

/// A server that listens; it answers as soon as it runs.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    gate: Arc<Gate>,
    stop: Arc<Notify>,
}

/// Ends a running server from another thread.
#[derive(Debug, Clone)]
pub struct Stopper(Arc<Notify>);

impl Stopper {
    /// No new request is taken; those under way are answered.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

impl Server {
    /// Listens on a port of a host (0: any free port) and prepares what is served.
    ///
    /// # Errors
    /// A host or port that cannot be used; a network whose coding is damaged.
    pub fn bind(explored: Explored, host: &str, port: u16) -> Result<Self, Error> {
        let listener = listen(host, port)?;
        let failed = |source| Error::Listen { host: host.to_string(), port, source };
        let address = listener.local_addr().map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        // The standard library lets 128 wait, which one page of another site can fill.
        let socket = SockRef::from(&listener);
        socket.listen(BACKLOG).map_err(failed)?;
        // What is taken from it has the same.
        socket.set_recv_buffer_size(WIRE_BYTES).map_err(failed)?;
        socket.set_send_buffer_size(WIRE_BYTES).map_err(failed)?;
        let gate = Arc::new(Gate::new(host, address)?);
        let router = router(Desk::new(explored)?).layer(from_fn_with_state(gate.clone(), gate::pass));
        Ok(Server { listener, address, router, gate, stop: Arc::new(Notify::new()) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for a browser, with the token that lets it in.
    pub fn url(&self) -> String {
        format!("{}?{}", self.page(), self.gate.query())
    }

    /// The same with a token that serves once: for the arguments of a program, which others may see.
    pub fn url_once(&self) -> String {
        format!("{}?{}", self.page(), self.gate.query_once())
    }

    /// Whoever listens everywhere is found here, too.
    fn page(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        format!("http://{address}/")
    }

    /// What ends it.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers until it is stopped.
    ///
    /// # Errors
    /// [`Error::Start`] where the operating system gives no threads.
    pub fn run(self) -> Result<(), Error> {
        let start = |error: io::Error| Error::Start(error.to_string());
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build().map_err(start)?;
        runtime.block_on(async {
            let graceful = Arc::new(GracefulShutdown::new());
            let places = Places::here();
            let door = Door {
                listener: tokio::net::TcpListener::from_std(self.listener.try_clone().map_err(start)?)
                    .map_err(start)?,
                again: self.listener,
                gate: self.gate,
                router: self.router,
                graceful: graceful.clone(),
                taken: places.taken,
                room: Room::new(places),
            };
            let accepting = tokio::spawn(door.keep());
            self.stop.notified().await;
            accepting.abort();
            let _ = accepting.await;
            // Whoever has not ended by then is cut off.
            if let Some(graceful) = Arc::into_inner(graceful) {
                let _ = tokio::time::timeout(FAREWELL, graceful.shutdown()).await;
            }
            Ok(())
        })
    }
}

fn listen(host: &str, port: u16) -> Result<TcpListener, Error> {
    let unknown = |reason: String| Error::Host { host: host.to_string(), reason };
    let addresses: Vec<SocketAddr> =
        (host, port).to_socket_addrs().map_err(|_| unknown("there is no such host".into()))?.collect();
    let named = host.to_string();
    TcpListener::bind(&addresses[..]).map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => Error::PortTaken { host: named, port },
        io::ErrorKind::AddrNotAvailable => unknown("it is not this machine".into()),
        _ => Error::Listen { host: named, port, source },
    })
}

/// Where connections come in.
struct Door {
    /// Waits for the first of them.
    listener: tokio::net::TcpListener,
    /// The same, for those that wait with it.
    again: TcpListener,
    gate: Arc<Gate>,
    router: Router,
    graceful: Arc<GracefulShutdown>,
    /// How many are taken together.
    taken: usize,
    room: Arc<Room>,
}

impl Door {
    async fn keep(self) {
        loop {
            let first = self.listener.accept().await.and_then(|(stream, _)| stream.into_std());
            let ended = match first {
                Ok(first) => {
                    let (taken, ended) = crowd::take(&self.again, first, self.taken, &self.gate);
                    taken.into_iter().for_each(|stream| self.serve(stream));
                    ended
                }
                Err(error) => Err(error),
            };
            if ended.is_err() {
                // Too many open files, say: strangers leave, and others may close some meanwhile.
                self.room.make_room();
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            // Those taken have their turn.
            tokio::task::yield_now().await;
        }
    }

    fn serve(&self, stream: TcpStream) {
        // Small answers go out at once.
        let _ = stream.set_nodelay(true);
        // Without a place among the events of the runtime it cannot be served.
        let Ok(stream) = tokio::net::TcpStream::from_std(stream) else { return };
        let seat = Arc::new(self.room.enter(Arc::new(stream)));
        let line = TokioIo::new(Line::new(seat.clone(), WRITE_TIME));
        // The gate tells the seat that somebody was let in.
        let service = self.router.clone().map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(seat.clone());
            request
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIME)
            .max_buf_size(64 << 10)
            .serve_connection(line, TowerToHyperService::new(service));
        let connection = self.graceful.watch(connection);
        tokio::spawn(async move {
            // A connection that broke off is the client's business.
            let _ = connection.await;
        });
    }
}
