"""The official command line, started as a user starts it."""

import json
from pathlib import Path

import pytest
from conftest import Cli
from cvat_sdk import Client
from cvat_sdk.api_client import exceptions
from photographs import Photograph
from PIL import Image

@pytest.fixture
def labels_file(tmp_path: Path) -> Path:
    file = tmp_path / "labels.json"
    file.write_text(json.dumps([{"name": "animal"}, {"name": "cup", "type": "rectangle"}]))
    return file


def test_task_from_photographs_to_deletion(
    client: Client, cli: Cli, labels_file: Path, photographs: list[Photograph], tmp_path: Path
) -> None:
    files = [photograph.path for photograph in photographs]
    created = cli(
        *("task", "create", "From the command line", "local", *files),
        *("--labels", labels_file, "--segment_size", 20, "--image_quality", 80, "--chunk_size", 16),
        *("--completion_verification_period", 0.2),
    )
    task_id = int(created.stdout.splitlines()[-1])
    assert "is not compatible" not in created.stderr

    task = client.tasks.retrieve(task_id)
    assert (task.name, task.size, task.image_quality, task.data_chunk_size) == ("From the command line", 64, 80, 16)
    assert task.jobs.count == 4
    assert str(task_id) in cli("task", "ls").stdout.split()
    listed = json.loads(cli("task", "ls", "--json").stdout)
    assert next(item for item in listed if item["id"] == task_id)["size"] == 64

    frames = tmp_path / "frames"
    cli("task", "frames", task_id, 0, 10, 63, "--outdir", frames)
    assert sorted(path.name for path in frames.iterdir()) == [
        f"task_{task_id}_frame_{frame:06d}{extension}" for frame, extension in ((0, ".jpg"), (10, ".png"), (63, ".jpg"))
    ]
    with Image.open(frames / f"task_{task_id}_frame_000010.png") as saved, Image.open(photographs[10].path) as sent:
        assert saved.tobytes() == sent.tobytes()

    cli("task", "delete", task_id, 10**9)
    with pytest.raises(exceptions.NotFoundException):
        client.tasks.retrieve(task_id)
    assert str(task_id) not in cli("task", "ls").stdout.split()


def test_project_and_its_task(client: Client, cli: Cli, photographs: list[Photograph]) -> None:
    project_id = int(cli("project", "create", "Made by hand", "--labels", '[{"name": "cat"}]').stdout)
    assert str(project_id) in cli("project", "ls").stdout.split()
    task_id = int(
        cli(
            *("task", "create", "Inside", "local", photographs[1].path, "--project_id", project_id),
            *("--completion_verification_period", 0.2),
        ).stdout.splitlines()[-1]
    )
    assert [task.id for task in client.projects.retrieve(project_id).get_tasks()] == [task_id]

    cli("project", "delete", project_id)
    with pytest.raises(exceptions.NotFoundException):
        client.tasks.retrieve(task_id)


def test_wrong_password(cli: Cli, credentials: tuple[str, str]) -> None:
    refused = cli("task", "ls", auth=f"{credentials[0]}:wrong", status=1)
    assert "Unable to log in" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_file_that_is_no_image(client: Client, cli: Cli, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"\xff\xd8 and nothing more")
    before = {task.id for task in client.tasks.list()}
    create = ("task", "create", "Broken", "local", broken, "--labels", '[{"name": "cat"}]')
    failed = cli(*create, "--completion_verification_period", 0.2, status=1)
    assert "broken.jpg" in failed.stderr
    client.tasks.remove_by_ids({task.id for task in client.tasks.list()} - before)
