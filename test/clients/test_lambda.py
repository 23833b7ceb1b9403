"""Functions over HTTP through the SDK: listing, calling, and annotating a task in the background."""

import json
import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from cvat_sdk import Client
from cvat_sdk.api_client import exceptions

ABOUT = {"id": "cup-finder", "name": "Cup finder", "type": "detector", "spec": [{"name": "cup", "type": "rectangle"}]}
BOX = [10.0, 20.0, 60.0, 50.0]


class Function(BaseHTTPRequestHandler):
    """A detector that finds one cup on each image."""

    def do_GET(self) -> None:
        self.reply(ABOUT)

    def do_POST(self) -> None:
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert call["image"]
        self.reply([{"label": "cup", "type": "rectangle", "points": BOX, "confidence": str(call.get("threshold", 0.9))}])

    def reply(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture(scope="module", autouse=True)
def function() -> Iterator[None]:
    """Runs the function at the URL that the server knows from `FUNCTIONS_URLS`."""
    port = os.environ.get("CAIRN_FUNCTIONS_PORT")
    if port is None:
        pytest.skip("the server calls no functions at a port of these tests")
    with ThreadingHTTPServer(("127.0.0.1", int(port)), Function) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


def test_functions(client: Client) -> None:
    lambdas = client.api_client.lambda_api
    _, response = lambdas.list_functions(_parse_response=False)
    found = {each["id"]: each for each in json.loads(response.data)}[ABOUT["id"]]
    assert (found["kind"], found["name"]) == ("detector", "Cup finder")
    assert found["labels_v2"] == [{"name": "cup", "type": "rectangle", "attributes": []}]
    _, response = lambdas.retrieve_functions(ABOUT["id"])
    assert json.loads(response.data) == found
    with pytest.raises(exceptions.NotFoundException):
        lambdas.retrieve_functions("no-such-function")


def test_calling(client: Client, small_task) -> None:
    [cup] = [label for label in small_task.get_labels() if label.name == "cup"]
    call = {"task": small_task.id, "frame": 1.0, "threshold": 0.5}
    _, response = client.api_client.lambda_api.create_functions(ABOUT["id"], online_function_call_request=call)
    found = json.loads(response.data)
    [shape] = found["shapes"]
    assert (shape["label_id"], shape["frame"], shape["points"], shape["score"]) == (cup.id, 1, BOX, 0.5)
    assert (found["version"], found["tags"], found["tracks"]) == (0, [], [])
    assert small_task.get_annotations().shapes == []


def test_annotating_a_task(client: Client, small_task) -> None:
    lambdas = client.api_client.lambda_api
    mapping = {"cup": {"name": "cup", "attributes": {}}}
    call = {"function": ABOUT["id"], "task": small_task.id, "threshold": 0.25, "cleanup": True, "mapping": mapping}
    request, _ = lambdas.create_requests(function_call_request=call)
    assert request.id == f"action=autoannotate&target=task&target_id={small_task.id}"
    assert (request.function.id, request.function.task, request.function.threshold) == (ABOUT["id"], small_task.id, 0.25)
    with pytest.raises(exceptions.ApiException) as refused:
        lambdas.create_requests(function_call_request=call)
    assert refused.value.status == 409

    deadline = time.monotonic() + 30
    while request.status in ("queued", "started") and time.monotonic() < deadline:
        time.sleep(client.config.status_check_period)
        request, _ = lambdas.retrieve_requests(request.id)
    assert (request.status, request.progress, request.exc_info) == ("finished", 100, None)
    requests, _ = lambdas.list_requests()
    assert request.id in [each.id for each in requests]

    shapes = small_task.get_annotations().shapes
    assert [shape.frame for shape in shapes] == list(range(small_task.size))
    assert {(shape.source, tuple(shape.points), shape.score) for shape in shapes} == {("auto", tuple(BOX), 0.25)}

    lambdas.delete_requests(request.id)  # it has ended, so nothing is cancelled
    kept, _ = lambdas.retrieve_requests(request.id)
    assert kept.status == "finished"
