"""What all tests rely on."""

import signal

# A shell that starts the suite in the background leaves interrupts ignored: what is sent would never arrive.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
