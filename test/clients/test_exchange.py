"""Annotations and datasets as files, through the SDK and the command line, read by the field's own tools."""

import contextlib
import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cvat_sdk import Client
from cvat_sdk.core.exceptions import BackgroundRequestException
from photographs import Photograph
from pycocotools.coco import COCO

IMAGES = "CVAT for images 1.1"


@pytest.fixture
def annotated(small_task):
    """Six photographs with a rectangle on the second, a polygon and a mask on the fifth."""
    (animal,) = [label.id for label in small_task.get_labels() if label.name == "animal"]
    common = {"label_id": animal, "occluded": False}
    small_task.set_annotations(
        {
            "shapes": [
                {**common, "type": "rectangle", "frame": 1, "points": [10.0, 20.0, 40.0, 60.0]},
                {**common, "type": "polygon", "frame": 4, "points": [0.0, 0.0, 50.0, 0.0, 50.0, 40.0]},
                {**common, "type": "mask", "frame": 4, "points": [2.0, 4.0, 10.0, 20.0, 12.0, 21.0]},
            ]
        }
    )
    return small_task


def frames_and_types(task) -> list[tuple[int, str]]:
    return sorted((shape.frame, shape.type.value) for shape in task.get_annotations().shapes)


def test_formats_of_the_server(client: Client) -> None:
    formats, _ = client.api_client.server_api.retrieve_annotation_formats()
    assert [item.name for item in formats.exporters] == ["COCO 1.0", "CVAT for video 1.1", IMAGES, "YOLO 1.1"]
    assert [item.name for item in formats.importers] == ["COCO 1.0", "CVAT 1.1", "YOLO 1.1"]


def test_export_with_images(annotated, photographs: list[Photograph], tmp_path: Path) -> None:
    target = tmp_path / "dataset.zip"
    annotated.export_dataset(IMAGES, target, include_images=True)
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        for photograph in photographs[:6]:
            assert archive.read(f"images/{photograph.name}") == photograph.bytes
        assert b"<polygon" in archive.read("annotations.xml")


def test_export_into_a_folder_takes_the_server_s_name(annotated, tmp_path: Path) -> None:
    annotated.export_dataset(IMAGES, tmp_path, include_images=False)
    (file,) = tmp_path.iterdir()
    assert file.name.startswith(f"task_{annotated.id}_annotations_")
    assert file.name.endswith("_cvat for images 1.1.zip")


@pytest.mark.parametrize(("written", "read"), [(IMAGES, "CVAT 1.1"), ("CVAT for video 1.1", "CVAT 1.1")])
def test_round_trip_of_a_task(annotated, tmp_path: Path, written: str, read: str) -> None:
    before = frames_and_types(annotated)
    assert len(before) == 3
    target = tmp_path / "annotations.zip"
    annotated.export_dataset(written, target, include_images=False)
    annotated.remove_annotations()
    annotated.import_annotations(read, target)
    after = annotated.get_annotations()
    if written == IMAGES:
        assert frames_and_types(annotated) == before
    else:  # single shapes come back as tracks of one frame, but masks, of which there are no tracks
        assert sorted(track.shapes[0].type.value for track in after.tracks) == ["polygon", "rectangle"]
        assert [shape.type.value for shape in after.shapes] == ["mask"]


def test_round_trip_of_a_job(annotated, tmp_path: Path) -> None:
    first, second = sorted(annotated.get_jobs(), key=lambda job: job.start_frame)
    target = tmp_path / "job.zip"
    second.export_dataset(IMAGES, target, include_images=False)
    second.remove_annotations()
    second.import_annotations("CVAT 1.1", target)
    assert frames_and_types(second) == [(4, "mask"), (4, "polygon")]
    assert frames_and_types(first) == [(1, "rectangle")]


def test_a_file_that_does_not_fit_changes_nothing(annotated, tmp_path: Path) -> None:
    file = tmp_path / "wrong.xml"
    file.write_text('<annotations><image id="0" name="nowhere.jpg" width="1" height="1"></image></annotations>')
    with pytest.raises(BackgroundRequestException, match="Could not match item id: 'nowhere'"):
        annotated.import_annotations("CVAT 1.1", file)
    assert len(annotated.get_annotations().shapes) == 3


def test_coco_is_read_by_pycocotools(annotated, tmp_path: Path) -> None:
    target = tmp_path / "coco.zip"
    annotated.export_dataset("COCO 1.0", target, include_images=False)
    with zipfile.ZipFile(target) as archive:
        archive.extract("annotations/instances_default.json", tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(tmp_path / "annotations" / "instances_default.json")

    assert len(coco.getImgIds()) == 6
    assert coco.loadCats(coco.getCatIds(catNms=["animal"]))[0]["name"] == "animal"
    found = coco.loadAnns(coco.getAnnIds())
    assert len(found) == 3
    polygon = next(annotation for annotation in found if annotation["segmentation"] and not annotation["iscrowd"])
    assert coco.annToMask(polygon).sum() == pytest.approx(polygon["area"], rel=0.05)
    mask = next(annotation for annotation in found if annotation["iscrowd"])
    assert coco.annToMask(mask).sum() == 4
    rectangle = next(annotation for annotation in found if annotation["bbox"] == [10.0, 20.0, 30.0, 40.0])
    assert rectangle["area"] == 1200.0


def test_command_line(annotated, base_url: str, credentials: tuple[str, str], tmp_path: Path) -> None:
    run = _cli(base_url, credentials, tmp_path)
    target = tmp_path / "cli.zip"
    run("task", "export-dataset", annotated.id, target, "--format", IMAGES, "--with-images", "no")
    annotated.remove_annotations()
    run("task", "import-dataset", annotated.id, target, "--format", "CVAT 1.1")
    assert frames_and_types(annotated) == [(1, "rectangle"), (4, "mask"), (4, "polygon")]


def _cli(base_url: str, credentials: tuple[str, str], folder: Path) -> Callable[..., None]:
    address = urlsplit(base_url)
    program = Path(sys.executable).with_name("cvat-cli")
    env = {name: value for name, value in os.environ.items() if name not in ("CVAT_ACCESS_TOKEN", "PASS")}
    connection = ["--server-host", f"{address.scheme}://{address.hostname}", "--server-port", str(address.port or 80)]

    def run(*arguments: object) -> None:
        command = [str(program), "--auth", ":".join(credentials), *connection, *map(str, arguments)]
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr

    return run
