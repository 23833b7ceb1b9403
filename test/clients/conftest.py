"""Fixtures of all client tests: the server's URL, a logged-in SDK client, labels and photographs."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import urllib3
from agent import Agent
from cvat_sdk import Client, Config
from photographs import Photograph, make_photographs
from receiver import Receiver

Cli = Callable[..., subprocess.CompletedProcess]

LABELS = [
    {
        "name": "animal",
        "color": "#2f9e44",
        "attributes": [
            {
                "name": "species",
                "mutable": False,
                "input_type": "select",
                "default_value": "cat",
                "values": ["cat", "raccoon"],
            },
            {
                "name": "asleep",
                "mutable": True,
                "input_type": "checkbox",
                "default_value": "false",
                "values": ["false"],
            },
        ],
    },
    {"name": "cup", "type": "rectangle"},
    {"name": "outdoors", "type": "tag"},
    {
        "name": "face",
        "type": "skeleton",
        "sublabels": [{"name": "left eye"}, {"name": "right eye"}, {"name": "nose"}],
        "svg": (
            '<line x1="20" y1="20" x2="80" y2="20" data-type="edge" data-node-from="1" data-node-to="2"></line>'
            '<circle r="1.5" cx="20" cy="20" data-type="element node" data-element-id="1" data-node-id="1" data-label-name="left eye"></circle>'
            '<circle r="1.5" cx="80" cy="20" data-type="element node" data-element-id="2" data-node-id="2" data-label-name="right eye"></circle>'
            '<circle r="1.5" cx="50" cy="60" data-type="element node" data-element-id="3" data-node-id="3" data-label-name="nose"></circle>'
        ),
    },
]


def _setting(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        pytest.exit(f"{name} is not set: start these tests with `npm run test:clients`.", returncode=1)
    return value


@pytest.fixture(scope="session")
def base_url() -> str:
    return _setting("CAIRN_URL").rstrip("/")


@pytest.fixture(scope="session")
def credentials() -> tuple[str, str]:
    return _setting("CAIRN_USERNAME"), _setting("CAIRN_PASSWORD")


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """The client's configuration: reject a server of an unsupported version, and do not wait 5 s between polls."""
    return Config(
        status_check_period=0.2,
        allow_unsupported_server=False,
        cache_dir=tmp_path_factory.mktemp("sdk-cache"),
    )


@pytest.fixture(scope="session")
def client(base_url: str, credentials: tuple[str, str], config: Config) -> Iterator[Client]:
    with Client(base_url, config=config) as client:
        client.login(credentials)
        yield client


@pytest.fixture(scope="session")
def token(client: Client) -> Iterator[str]:
    """An access token of the administrator, for requests without a session."""
    created, _ = client.api_client.auth_api.create_access_tokens(
        {"name": "client tests", "read_only": False}
    )
    yield created.value
    client.api_client.auth_api.destroy_access_tokens(created.id)


@pytest.fixture(scope="session")
def http() -> Iterator[urllib3.PoolManager]:
    """Sends a plain HTTP request, for calls that the SDK does not support."""
    with urllib3.PoolManager(timeout=30, retries=False) as pool:
        yield pool


@pytest.fixture(scope="session")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> list[Photograph]:
    """64 photographs, ordered by name: the demo's files unchanged, and crops of them in several sizes."""
    return make_photographs(tmp_path_factory.mktemp("photographs"), 64)


@pytest.fixture
def project(client: Client):
    project = client.projects.create({"name": "Client tests", "labels": LABELS})
    yield project
    client.projects.remove_by_ids([project.id])


@pytest.fixture(scope="module")
def task(client: Client, photographs: list[Photograph]):
    """One task per test file: all photographs, jobs of 25 frames that overlap by 5, chunks of 10."""
    task = client.tasks.create_from_data(
        {"name": "64 photographs", "labels": LABELS, "segment_size": 25, "overlap": 5},
        [photograph.path for photograph in photographs],
        data_params={"image_quality": 75, "chunk_size": 10, "sorting_method": "lexicographical"},
    )
    yield task
    client.tasks.remove_by_ids([task.id])


@pytest.fixture
def small_task(client: Client, photographs: list[Photograph]):
    """A separate task for a test that changes it: 6 photographs, two jobs."""
    task = client.tasks.create_from_data(
        {"name": "Six photographs", "labels": LABELS, "segment_size": 3},
        [photograph.path for photograph in photographs[:6]],
    )
    yield task
    client.tasks.remove_by_ids([task.id])


@dataclass(frozen=True)
class CommandLine:
    """The arguments and the environment with which `cvat-cli` connects to the server under test."""

    connection: list[str]
    env: dict[str, str]

    def command(self, *arguments: object, auth: str | None) -> list[str]:
        program = Path(sys.executable).with_name("cvat-cli")
        return [str(program), *(["--auth", auth] if auth else []), *self.connection, *map(str, arguments)]


@pytest.fixture
def command_line(base_url: str, tmp_path: Path) -> CommandLine:
    address = urlsplit(base_url)
    connection = ["--server-host", f"{address.scheme}://{address.hostname}"]
    if address.port is not None:
        connection += ["--server-port", str(address.port)]
    env = {name: value for name, value in os.environ.items() if name not in ("CVAT_ACCESS_TOKEN", "PASS")}
    env["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    return CommandLine(connection, env)


@pytest.fixture
def cli(command_line: CommandLine, credentials: tuple[str, str], tmp_path: Path) -> Cli:
    """Runs `cvat-cli` with URL and password on its command line, and expects it to succeed."""

    def run(
        *arguments: object, auth: str | None = ":".join(credentials), status: int = 0, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess:
        command = command_line.command(*arguments, auth=auth)
        env = {**command_line.env, **(env or {})}
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=100)
        assert done.returncode == status, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def old_cli(command_line: CommandLine, credentials: tuple[str, str], tmp_path: Path) -> Cli:
    """Runs the `cvat-cli` of CVAT 2.42, and expects it to succeed."""

    def run(*arguments: object) -> subprocess.CompletedProcess:
        auth = ["--auth", ":".join(credentials)]
        command = [sys.executable, "-m", "cvat_cli", *auth, *command_line.connection, *map(str, arguments)]
        env = {**command_line.env, "PYTHONPATH": _setting("OLD_CLIENTS")}
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def start_agent(command_line: CommandLine, token: str, tmp_path: Path) -> Iterator[Callable[..., Agent]]:
    """Starts `cvat-cli function run-agent` with an access token. It is stopped after the test."""
    agents: list[Agent] = []

    def start(*arguments: object, connection: list[str] | None = None) -> Agent:
        line = replace(command_line, connection=connection or command_line.connection)
        command = line.command("function", "run-agent", *arguments, auth=None)
        agents.append(Agent(command, {**line.env, "CVAT_ACCESS_TOKEN": token}, tmp_path / f"agent-{len(agents)}.log"))
        return agents[-1]

    yield start
    for agent in agents:
        agent.stop()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver(secret="a secret of the client tests") as receiver:
        yield receiver


@pytest.fixture
def demo_photo() -> Path:
    return Path(__file__).parents[2] / "demo" / "photos" / "chelsea.jpg"
