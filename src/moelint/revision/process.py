"""Child processes without ``subprocess``, whose import costs as much as several calls of git; argument lists only."""

from __future__ import annotations

import os

from moelint.typed import IO, Any


class Process:
    """A running command. ``stdin`` and ``stdout`` are binary streams where a conversation was asked for, else None and
    ``finish`` collects the output. Raises OSError if the command cannot be started, FileNotFoundError if it is not
    there."""

    __slots__ = ("_err", "_out", "_pid", "stdin", "stdout")

    def __init__(self, command: list[str], env: dict[str, str], talk: bool = False) -> None:
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        out, out_in = os.pipe()
        err, err_in = os.pipe()
        actions: list[Any] = [(os.POSIX_SPAWN_DUP2, out_in, 1), (os.POSIX_SPAWN_DUP2, err_in, 2)]
        asked = asked_out = -1
        if talk:
            asked_out, asked = os.pipe()
            actions.append((os.POSIX_SPAWN_DUP2, asked_out, 0))
        else:
            actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
        try:
            self._pid = os.posix_spawnp(command[0], command, env, file_actions=actions)
        except BaseException:
            for end in (out, err, asked):
                if end >= 0:
                    os.close(end)
            raise
        finally:
            for end in (out_in, err_in, asked_out):
                if end >= 0:
                    os.close(end)
        self._out, self._err = out, err
        if talk:
            os.close(err)
            self._err = -1
            self.stdin, self.stdout = os.fdopen(asked, "wb"), os.fdopen(out, "rb")

    def finish(self) -> tuple[int, bytes, bytes]:
        """(exit code, output, errors), once the command has ended."""
        import select

        pieces: dict[int, list[bytes]] = {self._out: [], self._err: []}
        poll = select.poll()
        waiting = set(pieces)
        for end in waiting:
            poll.register(end, select.POLLIN | select.POLLHUP)
        while waiting:
            for end, _ in poll.poll():
                data = os.read(end, 1 << 16)
                if data:
                    pieces[end].append(data)
                else:
                    poll.unregister(end)
                    os.close(end)
                    waiting.discard(end)
        return self._wait(), b"".join(pieces[self._out]), b"".join(pieces[self._err])

    def close(self) -> None:
        """End a conversation."""
        if self.stdin is not None and self.stdout is not None:
            try:
                self.stdin.close()
            except BrokenPipeError:
                pass
            self.stdout.close()
            self._wait()

    def _wait(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


class Portable(Process):
    """The same by way of ``subprocess``, for systems that cannot spawn."""

    __slots__ = ("_process",)

    def __init__(self, command: list[str], env: dict[str, str], talk: bool = False) -> None:
        import subprocess

        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command,
            stdin=pipe if talk else subprocess.DEVNULL,
            stdout=pipe,
            stderr=subprocess.DEVNULL if talk else pipe,
            env=env,
        )
        self.stdin, self.stdout = (self._process.stdin, self._process.stdout) if talk else (None, None)

    def finish(self) -> tuple[int, bytes, bytes]:
        out, err = self._process.communicate()
        return self._process.returncode, out, err

    def _wait(self) -> int:
        return self._process.wait()


def start(command: list[str], env: dict[str, str], talk: bool = False) -> Process:
    """Start a command. Raises OSError."""
    return (Process if hasattr(os, "posix_spawnp") else Portable)(command, env, talk)
