"""Functions that agents run: `cvat-cli function create-native`, `run-agent` and `delete`, and calls of their functions."""

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from conftest import Cli
from cvat_sdk import Client
from cvat_sdk.masks import decode_mask
from photographs import Photograph
from PIL import Image
from proxy import Proxy

EXAMPLES = Path(__file__).parents[2] / "examples" / "functions"
FACES = ("--function-file", EXAMPLES / "detect_faces.py", "-p", "min_size=int:60")
CLICKS = ("--function-file", EXAMPLES / "segment_by_clicks.py")
TRACKS = ("--function-file", EXAMPLES / "track_shapes.py")

# On every frame, writes a file and waits until there is another one. Runs with the client 2.42, too.
GATED = """
import time
from pathlib import Path
import cvat_sdk.auto_annotation as cvataa

class Gated:
    spec = cvataa.DetectionFunctionSpec(labels=[cvataa.label_spec("cup", 0, type="rectangle")])

    def __init__(self, folder):
        self.folder = Path(folder)

    def detect(self, context, image):
        (self.folder / f"seen {context.frame_name}").touch()
        while not (self.folder / "open").exists():
            time.sleep(0.02)
        return [cvataa.rectangle(0, [1.0, 2.0, 30.0, 40.0])]

def create(folder):
    return Gated(folder)
"""


class Gate:
    """A detector that waits until the test lets it go on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        file = folder / "gated.py"
        file.write_text(GATED)
        self.code = ("--function-file", file, "-p", f"folder=str:{folder}")

    def wait_until_seen(self, name: str) -> None:
        until(f"the detector sees {name}", (self.folder / f"seen {name}").exists)

    def open(self) -> None:
        (self.folder / "open").touch()


def until(what: str, fact: Callable[[], object], seconds: float = 60) -> object:
    """Polls `fact` until its result is truthy, and returns it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if result := fact():
            return result
        time.sleep(0.05)
    raise AssertionError(f"After {seconds} s still not so: {what}")


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    folder = tmp_path / "gate"
    folder.mkdir()
    return Gate(folder)


class Api:
    """The calls of functions and the requests for them, as the app sends them."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def send(self, method: str, path: str, body: object = None, check: bool = True) -> SimpleNamespace:
        _, response = self._client.api_client.call_api(f"/api/{path}", method, body=body, _check_status=check)
        return SimpleNamespace(status=response.status, body=json.loads(response.data) if response.data else None)

    def create(self, function: int, task, **more: object) -> str:
        """Requests the annotation of a task. @return the id of the request"""
        call, _ = self._client.api_client.lambda_api.create_requests(
            {"function": str(function), "task": task.id, **more}
        )
        return call.id

    def state(self, request: str) -> str:
        call, _ = self._client.api_client.lambda_api.retrieve_requests(request)
        return call.status

    def wait_for(self, request: str, state: str) -> None:
        until(f"{request} is {state}", lambda: self.state(request) == state)

    def call(self, function: int, **body: object) -> dict:
        return self.send("POST", f"lambda/functions/{function}", body).body


@pytest.fixture
def api(client: Client) -> Api:
    return Api(client)


@pytest.fixture
def register(cli: Cli, api: Api) -> Iterator[Callable[..., int]]:
    """Registers a function with `cvat-cli function create-native`; it is deleted after the test."""
    created: list[int] = []

    def register(name: str, *arguments: object, org: str | None = None, **more: object) -> int:
        organization = ("--org", org) if org else ()
        created.append(int(cli(*organization, "function", "create-native", name, *arguments, **more).stdout))
        return created[-1]

    yield register
    for function in created:
        api.send("DELETE", f"functions/{function}", check=False)


@pytest.fixture(scope="module")
def faces(client: Client, photographs: list[Photograph]):
    """An astronaut, a cat, a cup of coffee, …: seven photographs in chunks of three."""
    labels = [
        {"name": "face", "type": "rectangle"},
        {"name": "eye", "type": "any"},
        {"name": "cup", "type": "rectangle"},
    ]
    task = client.tasks.create_from_data(
        {"name": "Functions", "labels": labels, "segment_size": 4},
        [photograph.path for photograph in photographs[:7]],
        data_params={"image_quality": 80, "chunk_size": 3, "sorting_method": "lexicographical"},
    )
    yield task
    client.tasks.remove_by_ids([task.id])


@pytest.fixture
def task(faces):
    faces.remove_annotations()
    return faces


def test_the_example_detector_annotates_a_task(task, api: Api, register, cli: Cli) -> None:
    function = register("Faces", *FACES)
    request = api.create(function, task)
    assert api.state(request) == "queued"
    log = cli("function", "run-agent", function, *FACES, "--burst").stderr
    assert "No annotation requests left in queue; exiting." in log
    assert api.state(request) == "finished"
    names = {label.id: label.name for label in task.get_labels()}
    found = task.get_annotations().shapes
    assert sorted((shape.frame, names[shape.label_id]) for shape in found) == [(0, "eye"), (0, "eye"), (0, "face")]
    assert {(shape.type.value, shape.source) for shape in found} == {("rectangle", "auto")}


def test_functions_are_registered_and_deleted(client: Client, token: str, api: Api, register, cli: Cli) -> None:
    function = register("Tracks", *TRACKS, "--visibility", "public", auth=None, env={"CVAT_ACCESS_TOKEN": token})
    found = api.send("GET", f"functions/{function}").body
    assert (found["provider"], found["kind"], found["visibility"]) == ("native", "tracker", "public")
    assert found["supported_shape_types"] == ["points", "polygon", "polyline", "rectangle"]
    assert function in [item["id"] for item in api.send("GET", "functions?page_size=1000").body["results"]]

    deleted = cli("function", "delete", function, 10**9)
    assert f"Function #{function} deleted" in deleted.stderr
    assert f"Function #{10**9} not found" in deleted.stderr
    assert api.send("GET", f"functions/{function}", check=False).status == 404


def test_a_function_of_an_organization(client: Client, api: Api, register) -> None:
    organization, _ = client.api_client.organizations_api.create({"slug": "functions"})
    try:
        function = register("Clicks", *CLICKS, org="functions")
        found = api.send("GET", f"functions/{function}").body
        assert (found["organization"], found["kind"], found["visibility"]) == (organization.id, "interactor", "private")
        limits = ("min_pos_points", "min_neg_points", "startswith_box", "startswith_box_optional")
        assert [found[name] for name in limits] == [1, 0, False, True]
    finally:
        client.api_client.organizations_api.destroy(organization.id)


def test_clicks_on_an_object(task, api: Api, register, start_agent) -> None:
    function = register("Clicks", *CLICKS)
    agent = start_agent(function, *CLICKS)
    agent.wait_for("Connected to the queue event stream")
    prompts = {"pos_points": [[290, 110]], "neg_points": [[560, 350]], "obj_bbox": [[170, 15], [430, 320]]}
    (shape,) = api.call(function, task=task.id, frame=2, **prompts)["shapes"]
    mask = decode_mask(shape["points"], image_width=600, image_height=400)
    assert (shape["type"], bool(mask[110, 290]), bool(mask[350, 560])) == ("mask", True, False)
    # The second call finds the image in the agent's memory.
    again = api.call(function, task=task.id, frame=2, pos_points=[[300, 120]], neg_points=[], obj_bbox=[])
    assert len(again["shapes"]) == 1
    assert task.get_annotations().shapes == []


def test_an_agent_tracks_until_its_function_is_deleted(
    client: Client, api: Api, register, start_agent, tmp_path: Path
) -> None:
    function = register("Tracks", *TRACKS)
    agent = start_agent(function, *TRACKS)
    clip = moving_object(tmp_path)
    task = client.tasks.create_from_data({"name": "Clip", "labels": [{"name": "cup"}]}, clip)
    try:
        agent.wait_for("Connected to the queue event stream")
        box = [20.0, 60.0, 70.0, 110.0]
        shapes = [{"type": "rectangle", "points": box}]
        states = api.call(function, task=task.id, frame=0, shapes=shapes)["states"]
        for frame in (1, 2, 3):
            tracked = api.call(function, task=task.id, frame=frame, states=states)
            states = tracked["states"]
            (shape,) = tracked["shapes"]
            expected = [box[0] + 6 * frame, box[1] + 2 * frame, box[2] + 6 * frame, box[3] + 2 * frame]
            assert shape["type"] == "rectangle"
            assert shape["points"] == pytest.approx(expected, abs=2)
    finally:
        task.remove()
    api.send("DELETE", f"functions/{function}")
    assert agent.exit_code() == 1
    assert "unknown type" not in agent.log


def moving_object(folder: Path) -> list[Path]:
    """Four frames on which a face moves 6 pixels to the right and 2 pixels down."""
    files = []
    with Image.open(EXAMPLES.parents[1] / "demo" / "photos" / "astronaut.jpg") as astronaut:
        face = astronaut.crop((170, 60, 290, 180)).resize((50, 50))
        for number in range(4):
            frame = Image.new("RGB", (320, 240), "gray")
            frame.paste(face, (20 + 6 * number, 60 + 2 * number))
            files.append(folder / f"{number}.png")
            frame.save(files[-1])
    return files


def test_an_agent_answers_calls_while_it_annotates_a_task(task, gate: Gate, api: Api, register, start_agent) -> None:
    function = register("Gated", *gate.code)
    request = api.create(function, task)
    agent = start_agent(function, *gate.code)
    names = [frame.name for frame in task.get_frames_info()]
    gate.wait_until_seen(names[0])
    with ThreadPoolExecutor() as pool:
        call = pool.submit(api.call, function, type="annotate_frame", task=task.id, frame=5)
        agent.wait_for("new request of category 'interactive'")
        gate.open()
        (shape,) = call.result()["shapes"]
    assert shape["points"] == [1, 2, 30, 40]
    api.wait_for(request, "finished")
    assert sorted(shape.frame for shape in task.get_annotations().shapes) == [0, 1, 2, 3, 4, 5, 6]
    log = agent.log
    assert log.index("type 'annotate_frame'") < log.index("Submitting result for AR")


def test_an_agent_goes_on_after_a_cancelled_request(task, gate: Gate, api: Api, register, start_agent) -> None:
    function = register("Gated", *gate.code)
    cancelled = api.create(function, task)
    agent = start_agent(function, *gate.code)
    gate.wait_until_seen(task.get_frames_info()[0].name)
    api.send("DELETE", f"lambda/requests/{cancelled}")
    gate.open()
    agent.wait_for("Couldn't fail AR")
    assert task.get_annotations().shapes == []
    second = api.create(function, task)
    api.wait_for(second, "finished")
    assert len(task.get_annotations().shapes) == 7


def test_a_broken_connection(base_url: str, task, gate: Gate, api: Api, register, start_agent) -> None:
    function = register("Gated", *gate.code)
    gate.open()
    address = urlsplit(base_url)
    with Proxy(address.hostname, address.port) as proxy:
        connection = ["--server-host", "http://127.0.0.1", "--server-port", str(proxy.port)]
        agent = start_agent(function, *gate.code, connection=connection)
        agent.wait_for("Connected to the queue event stream")
        proxy.break_connections()
        agent.wait_for("Event stream interrupted")
        request = api.create(function, task)
        api.wait_for(request, "finished")
        assert "unknown type" not in agent.log
        agent.stop()


@pytest.mark.skipif("CAIRN_AGENT_LEASE" not in os.environ, reason="the lease of agents is too long for a test")
def test_another_agent_takes_over_from_a_killed_one(task, gate: Gate, api: Api, register, start_agent) -> None:
    function = register("Gated", *gate.code)
    request = api.create(function, task)
    killed = start_agent(function, *gate.code)
    gate.wait_until_seen(task.get_frames_info()[0].name)
    killed.kill()
    gate.open()
    start_agent(function, *gate.code)
    api.wait_for(request, "finished")
    assert sorted(shape.frame for shape in task.get_annotations().shapes) == [0, 1, 2, 3, 4, 5, 6]


def test_the_client_of_cvat_2_42(task, gate: Gate, api: Api, old_cli: Cli) -> None:
    gate.open()
    function = int(old_cli("function", "create-native", "Old", *gate.code).stdout)
    try:
        found = api.send("GET", f"functions/{function}").body
        assert (found["kind"], found["visibility"]) == ("detector", "private")
        request = api.create(function, task)
        old_cli("function", "run-agent", function, *gate.code, "--burst")
        assert api.state(request) == "finished"
        assert len(task.get_annotations().shapes) == 7
    finally:
        old_cli("function", "delete", function)
