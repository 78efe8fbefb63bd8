"""Work in a process of its own, which may take so many CPU seconds and 6 GB: learners that do not end are results too."""

import multiprocessing
import resource


def limited(learn, seconds):
    """What `learn()` returns and its CPU seconds, in a process of its own that may take so many and 6 GB."""

    def work(pipe):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        try:
            pipe.send((learn(), spent()))
        except Exception as error:  # a learner that gives up is a result
            pipe.send((str(error)[:200] or type(error).__name__, spent()))

    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work, args=(theirs,))
    process.start()
    theirs.close()
    try:
        found, took = ours.recv()
    except EOFError:
        found, took = f"not within {seconds} CPU s and 6 GB", seconds
    process.join()
    return found, took


def spent():
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
