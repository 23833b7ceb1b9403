"""Backups of tasks and projects, through the SDK and the command line."""

import json
import zipfile
from pathlib import Path

import pytest
from conftest import Cli
from cvat_sdk import Client
from cvat_sdk.core.exceptions import BackgroundRequestException
from photographs import Photograph

LABELS = [
    {
        "name": "car",
        "attributes": [
            {
                "name": "make",
                "mutable": False,
                "input_type": "select",
                "default_value": "bmw",
                "values": ["bmw", "vw"],
            }
        ],
    },
    {
        "name": "person",
        "type": "skeleton",
        "svg": '<circle data-type="element node" data-element-id="1" data-node-id="1" data-label-name="head"></circle>',
        "sublabels": [{"name": "head", "type": "points", "attributes": []}],
    },
]


def annotate(task) -> None:
    car, person = sorted(task.get_labels(), key=lambda label: label.name)
    (head,) = person.sublabels
    (make,) = car.attributes
    point = {"type": "points", "frame": 1, "label_id": head.id, "points": [5.0, 6.0]}
    task.set_annotations(
        {
            "shapes": [
                {
                    "type": "rectangle",
                    "frame": 0,
                    "label_id": car.id,
                    "points": [1.0, 2.0, 30.0, 40.0],
                    "attributes": [{"spec_id": make.id, "value": "vw"}],
                },
                {"type": "skeleton", "frame": 1, "label_id": person.id, "elements": [point]},
            ],
            "tracks": [
                {
                    "frame": 0,
                    "label_id": car.id,
                    "shapes": [
                        {"type": "rectangle", "frame": 0, "points": [1.0, 1.0, 9.0, 9.0]},
                        {"type": "rectangle", "frame": 2, "points": [2.0, 2.0, 9.0, 9.0], "outside": True},
                    ],
                }
            ],
        }
    )


def told(task) -> object:
    """Properties of a task that a restore preserves."""
    annotations = task.get_annotations()
    names = {label.id: label.name for label in task.get_labels()}
    meta = task.get_meta()
    return {
        "task": (task.name, task.size, task.mode, task.overlap, task.segment_size, task.subset),
        "labels": sorted(names.values()),
        "frames": [(frame.name, frame.width, frame.height) for frame in meta.frames],
        "jobs": sorted((job.start_frame, job.stop_frame, job.type) for job in task.get_jobs()),
        "shapes": [
            (
                shape.type.value,
                shape.frame,
                names[shape.label_id],
                shape.points,
                [attribute.value for attribute in shape.attributes],
                [element.points for element in shape.elements],
            )
            for shape in annotations.shapes
        ],
        "tracks": [
            [(shape.frame, shape.points, shape.outside) for shape in track.shapes] for track in annotations.tracks
        ],
    }


@pytest.fixture
def full_task(client: Client, photographs: list[Photograph]):
    task = client.tasks.create_from_data(
        {"name": "whole", "labels": LABELS, "segment_size": 2, "subset": "train"},
        resources=[photograph.path for photograph in photographs[:4]],
    )
    annotate(task)
    return task


def test_a_task_comes_back_by_the_sdk(client: Client, full_task, tmp_path: Path) -> None:
    target = tmp_path / "task.zip"
    full_task.download_backup(target)
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert {"task.json", "annotations.json", "data/manifest.jsonl"} <= set(archive.namelist())
    again = client.tasks.create_from_backup(target)
    assert again.id != full_task.id
    assert told(again) == told(full_task)
    assert again.get_frame(1, quality="original").read() == full_task.get_frame(1, quality="original").read()


def test_a_project_comes_back_by_the_sdk(client: Client, photographs: list[Photograph], tmp_path: Path) -> None:
    project = client.projects.create({"name": "streets", "labels": LABELS})
    for name in ("one", "two"):
        task = client.tasks.create_from_data({"name": name, "project_id": project.id}, resources=[photographs[0].path])
        assert task.project_id == project.id
    target = tmp_path / "project.zip"
    project.download_backup(target)
    again = client.projects.create_from_backup(target)
    assert [task.name for task in sorted(again.get_tasks(), key=lambda task: task.id)] == ["one", "two"]
    assert [label.name for label in again.get_labels()] == [label.name for label in project.get_labels()]


def test_a_file_that_is_no_backup(client: Client, tmp_path: Path) -> None:
    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("task.json", json.dumps({"name": "x", "version": "1.0", "jobs": [], "data": {}}))
    with pytest.raises(BackgroundRequestException, match="there is no annotation job"):
        client.tasks.create_from_backup(broken)


def test_a_task_comes_back_by_the_command_line(client: Client, full_task, cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "cli.zip"
    cli("task", "backup", full_task.id, target)
    made = cli("task", "create-from-backup", target)
    again = client.tasks.retrieve(int(made.stdout.split()[-1]))
    assert told(again) == told(full_task)
