# SPDX-License-Identifier: Apache-2.0
"""Runs the program under test as people run it."""

import json
import os
import pathlib
import socket
import subprocess
import threading
import unittest

PROGRAM = os.environ["LIGHTPATH"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
FORK_SERVER = os.environ.get("FORK_SERVER")


class Server:
    """The program, linked once, from which commands are forked one after the other (fork_server.c)."""

    def __init__(self):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen([PROGRAM], pass_fds=[theirs.fileno()], env=dict(
                os.environ, LD_PRELOAD=FORK_SERVER, LP_FORK_SERVER=str(theirs.fileno())))

    def __del__(self):
        self.socket.close()
        self.process.wait()

    def run(self, words, cwd=None, timeout=None):
        """As subprocess.run() does."""
        fields = [str(cwd or os.getcwd()), PROGRAM, *words]
        with open(os.devnull, "rb") as nothing, open(os.memfd_create("output"), "r+b") as output, \
                open(os.memfd_create("error"), "r+b") as error:
            self.socket.settimeout(timeout)
            socket.send_fds(self.socket, [b"".join(os.fsencode(field) + b"\0" for field in fields)],
                            [file.fileno() for file in (nothing, output, error)])
            try:
                status = int.from_bytes(self.socket.recv(4), "little")
            except TimeoutError:
                self.process.kill()
                raise
            for file in output, error:
                file.seek(0)
            return subprocess.CompletedProcess([PROGRAM, *words], os.waitstatus_to_exitcode(status), output.read().decode(),
                                               error.read().decode())


class Servers(threading.local):
    """One for each thread that asks."""
    own = None


servers = Servers()


def run(*words, **keywords):
    """The process that ran `lightpath WORDS` to its end; its streams are text."""
    words = [str(word) for word in words]
    if FORK_SERVER is None or not keywords.keys() <= {"cwd", "timeout"}:
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, **keywords)
    servers.own = servers.own or Server()
    return servers.own.run(words, **keywords)


def output_of(*line, silent=False, **keywords):
    """Standard output of a command of any program, which must succeed; @silent: without a complaint."""
    done = subprocess.run([str(word) for word in line], text=True,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords})
    if done.returncode != 0 or (silent and done.stderr):
        raise AssertionError(f"{line}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def taken(*words, **keywords):
    """Standard output of a command that does what it is asked for, in silence."""
    done = run(*words, **keywords)
    if (done.returncode, done.stderr) != (0, ""):
        raise AssertionError(f"lightpath {' '.join(map(str, words))}: status {done.returncode}: {done.stderr}")
    return done.stdout


def result(*words, **keywords):
    """What such a command says in JSON."""
    return json.loads(taken(*words, "--format=json", **keywords))


def refused(wanted, *words, status=1, **keywords):
    """The one line of a command that ends with @status and prints nothing else; it has @wanted in it."""
    done = run(*words, **keywords)
    if (done.returncode, done.stdout, done.stderr.count("\n")) != (status, "", 1) or wanted not in done.stderr:
        raise AssertionError(f"lightpath {' '.join(map(str, words))}: got status {done.returncode}, {done.stdout!r}, "
                             f"{done.stderr!r}, wanted {status} and {wanted!r}")
    return done.stderr


def generate(path, options):
    """@path, where `lightpath platform generate OPTIONS` has written a machine; @options are one text."""
    taken("platform", "generate", *options.split(), "-o", path)
    return path


class Case(unittest.TestCase):
    """The same with a complaint of the test's own."""

    def taken(self, *words, **keywords):
        """Standard output of a command that does what it is asked for, in silence."""
        done = run(*words, **keywords)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def refused(self, status, part, *words, **keywords):
        """The command ends with @status and complains in one line, which holds @part."""
        done = run(*words, **keywords)
        self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
        self.assertTrue(done.stderr.startswith("lightpath: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(part, done.stderr)
