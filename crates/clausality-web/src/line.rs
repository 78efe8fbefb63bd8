//! The wire to a client: the stream of its seat, given up where the client does not read.

use crate::room::{Seat, shut};
use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Reads and writes for one connection.
#[derive(Debug)]
pub(crate) struct Line {
    seat: Arc<Seat>,
    /// How long nothing may be taken of an answer.
    patience: Duration,
    /// Runs while the client takes nothing.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Line {
    pub(crate) fn new(seat: Arc<Seat>, patience: Duration) -> Self {
        Line { seat, patience, waiting: None }
    }

    fn write_with(
        &mut self,
        context: &mut Context<'_>,
        write: impl Fn(&Seat) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        while let Poll::Ready(ready) = self.seat.stream().poll_write_ready(context) {
            ready?;
            match write(&self.seat) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                written => {
                    if self.waiting.take().is_some() {
                        self.seat.stuck(false);
                    }
                    self.seat.moved();
                    return Poll::Ready(written);
                }
            }
        }
        let waiting = self.waiting.get_or_insert_with(|| {
            self.seat.stuck(true);
            Box::pin(sleep(self.patience))
        });
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "the client does not read")))
    }
}

impl AsyncRead for Line {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.seat.stream().poll_read_ready(context))?;
            match self.seat.stream().try_read(buffer.initialize_unfilled()) {
                Ok(length) => {
                    buffer.advance(length);
                    self.seat.moved();
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write_with(context, |seat| seat.stream().try_write(bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write_with(context, |seat| seat.stream().try_write_vectored(parts))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(shut(self.seat.stream(), Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::{Places, Room};
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn who_never_reads_is_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let silent = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (stream, _) = listener.accept().unwrap();
            stream.set_nonblocking(true).unwrap();
            let stream = Arc::new(tokio::net::TcpStream::from_std(stream).unwrap());
            let seat = Arc::new(Room::new(Places::of(64)).enter(stream));
            let mut line = Line::new(seat, Duration::from_millis(50));
            let page = vec![b'x'; 1 << 20];
            // The buffers of the operating system take some megabytes; then nobody takes anything.
            let ended = loop {
                let write = std::future::poll_fn(|context| Pin::new(&mut line).poll_write(context, &page));
                if let Err(error) = write.await {
                    break error;
                }
            };
            assert_eq!(ended.kind(), ErrorKind::TimedOut);
            drop(silent);
        });
    }
}
