"""A `cvat-cli function run-agent` that runs in the background, as on the computer of whoever provides the model."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

WAIT_SECONDS = 60


class Agent:
    def __init__(self, command: Sequence[str], env: dict[str, str], log: Path) -> None:
        self._log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                command, env=env, stdout=output, stderr=output, start_new_session=True
            )

    @property
    def log(self) -> str:
        return self._log.read_text()

    def wait_for(self, text: str, count: int = 1) -> None:
        """Waits until the log has the text `count` times; fails after a minute, or when the agent ends before."""
        deadline = time.monotonic() + WAIT_SECONDS
        while self.log.count(text) < count:
            ended = self._process.poll() is not None
            assert self.log.count(text) >= count or not ended, f"The agent ended:\n{self.log}"
            assert time.monotonic() < deadline, f"After {WAIT_SECONDS} s still no {text!r}:\n{self.log}"
            time.sleep(0.05)

    def exit_code(self) -> int:
        """Waits until the agent ends by itself."""
        return self._process.wait(timeout=WAIT_SECONDS)

    def kill(self) -> None:
        """Ends the agent and the process that runs its function, as a power failure would."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def stop(self) -> None:
        """Ends the agent as Ctrl-C does."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGINT)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.kill()
