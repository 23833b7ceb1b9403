"""The example of a training loop: a completed job leads to a new version of the function, which annotates the next job."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3
from cvat_sdk import Client
from PIL import Image, ImageDraw
from test_functions import Api, until

SCRIPT = Path(__file__).parents[2] / "examples" / "training-loop" / "training_loop.py"
SECRET = "a secret of the training loop"
COLOURS = {"ripe": "crimson", "unripe": "limegreen"}
SIZES = {"ripe": (40, 30), "unripe": (24, 36)}
Box = tuple[str, list[float]]


def draw_fruit(folder: Path, number: int) -> tuple[Path, list[Box]]:
    """An image with a box of each label, and where they are."""
    place = random.Random(number)
    image = Image.new("RGB", (200, 150), "gray")
    boxes = []
    for column, (label, (width, height)) in enumerate(SIZES.items()):
        left, top = place.randint(0, 50) + 100 * column, place.randint(0, 100)
        ImageDraw.Draw(image).rectangle([left, top, left + width - 1, top + height - 1], fill=COLOURS[label])
        boxes.append((label, [left, top, left + width, top + height]))
    file = folder / f"fruit-{number}.png"
    image.save(file)
    return file, boxes


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


@pytest.fixture
def loop(base_url: str, token: str, port: int, tmp_path: Path) -> Iterator[Path]:
    """The running script. @return its folder"""
    folder = tmp_path / "loop"
    folder.mkdir()
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    settings = {"CAIRN_URL": base_url, "CVAT_ACCESS_TOKEN": token, "WEBHOOK_SECRET": SECRET, "PORT": str(port)}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT)],
            env={**os.environ, **settings, "PATH": programs},
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    yield folder
    print((tmp_path / "log").read_text())
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_completed_job_improves_the_next_one(
    client: Client, loop: Path, port: int, http: urllib3.PoolManager, tmp_path: Path
) -> None:
    fruit = [draw_fruit(tmp_path, number) for number in range(6)]
    project = client.projects.create({"name": "Fruit", "labels": [{"name": name} for name in COLOURS]})
    task = client.tasks.create_from_data(
        {"name": "Fruit", "project_id": project.id, "segment_size": 3}, [file for file, _ in fruit]
    )
    labels = {label.name: label.id for label in task.get_labels()}
    label_names = {id: name for name, id in labels.items()}
    done, remaining = sorted(task.get_jobs(), key=lambda job: job.start_frame)
    url = f"http://127.0.0.1:{port}/"
    until("the script listens", lambda: is_open(port))
    assert http.request("POST", url, body=b"{}", headers={"X-Signature-256": "sha256=0"}).status == 403
    webhook, _ = client.api_client.webhooks_api.create(
        {"target_url": url, "type": "project", "project_id": project.id, "events": ["update:job"], "secret": SECRET}
    )
    api = Api(client)
    spec = {"kind": "detector", "labels_v2": [{"name": "ripe", "type": "rectangle", "attributes": []}]}
    idle = api.send("POST", "functions", {"provider": "native", "name": "Without an agent", **spec}).body["id"]

    def versions() -> list[dict]:
        functions = api.send("GET", "functions?page_size=1000").body["results"]
        return [function for function in functions if function["name"] in ("Colour boxes 1", "Colour boxes 2")]

    try:
        other = api.create(idle, task)
        done.set_annotations({"shapes": [shape(labels, frame, box) for frame in range(3) for box in fruit[frame][1]]})
        done.update({"state": "completed"})
        until("the first version is registered", versions)
        time.sleep(1)  # the script is refused meanwhile, and tries again
        api.send("DELETE", f"lambda/requests/{other}")
        found = until("the other job is annotated", lambda: remaining.get_annotations().shapes)
        assert {shape.source for shape in found} == {"auto"}
        seen = sorted((shape.frame, label_names[shape.label_id], shape.points) for shape in found)
        assert seen == sorted((frame, label, points) for frame in range(3, 6) for label, points in fruit[frame][1])
        assert len(done.get_annotations().shapes) == 6

        # An annotator corrects the second job: only its frames are exported, and all jobs are completed.
        remaining.set_annotations({"shapes": [shape(labels, 3, box) for box in fruit[3][1]]})
        remaining.update({"state": "completed"})
        until("the second version is trained", (loop / "model-2.json").exists)
        assert len(list(loop.glob("datasets/*/*.zip"))) == 2
        until("both versions are registered", lambda: len(versions()) == 2)
        for version in versions():
            api.send("DELETE", f"functions/{version['id']}")
    finally:
        api.send("DELETE", f"functions/{idle}")
        client.api_client.webhooks_api.destroy(webhook.id)
        project.remove()


def shape(labels: dict[str, int], frame: int, box: Box) -> dict:
    label, points = box
    return {"type": "rectangle", "label_id": labels[label], "frame": frame, "points": points, "occluded": False}


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
