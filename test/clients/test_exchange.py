"""Annotations and datasets as files, through the SDK and the command line, read by tools of the field."""

import contextlib
import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
import supervision as sv
from cvat_sdk import Client
from cvat_sdk.core.exceptions import BackgroundRequestException
from cvat_sdk.core.proxies.tasks import ResourceType
from photographs import Photograph
from pycocotools.coco import COCO

IMAGES = "CVAT for images 1.1"

# In the order in which CVAT lists them.
FORMATS = [
    "CamVid 1.0",
    "Cityscapes 1.0",
    "COCO 1.0",
    "COCO Keypoints 1.0",
    "CVAT for video 1.1",
    IMAGES,
    "Datumaro 1.0",
    "Datumaro 3D 1.0",
    "ICDAR Recognition 1.0",
    "ICDAR Localization 1.0",
    "ICDAR Segmentation 1.0",
    "ImageNet 1.0",
    "KITTI 1.0",
    "LabelMe 3.0",
    "LFW 1.0",
    "Market-1501 1.0",
    "Segmentation mask 1.1",
    "MOT 1.1",
    "MOTS PNG 1.0",
    "Open Images V6 1.0",
    "PASCAL VOC 1.1",
    "Sly Point Cloud Format 1.0",
    "Kitti Raw Format 1.0",
    "VGGFace2 1.0",
    "WiderFace 1.0",
    "YOLO 1.1",
    "Ultralytics YOLO Detection 1.0",
    "Ultralytics YOLO Detection Track 1.0",
    "Ultralytics YOLO Oriented Bounding Boxes 1.0",
    "Ultralytics YOLO Segmentation 1.0",
    "Ultralytics YOLO Pose 1.0",
    "Ultralytics YOLO Classification 1.0",
]

# Those that only Cairn has, after CVAT's.
MORE_FORMATS = ["COCO Panoptic 1.0", "Hugging Face ImageFolder 1.0", "Hugging Face Parquet 1.0"]


@pytest.fixture
def annotated(small_task):
    """Six photographs with a rectangle in the second, and a polygon and a mask in the fifth."""
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
    exporters = [item.name for item in formats.exporters]
    importers = [item.name for item in formats.importers]
    assert exporters == [*FORMATS, *MORE_FORMATS]
    only_exported = {"CVAT for video 1.1", IMAGES, "Ultralytics YOLO Detection Track 1.0"}
    assert set(exporters) - only_exported == set(importers) - {"CVAT 1.1"}


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


def test_yolo_is_read_by_supervision(annotated, photographs: list[Photograph], tmp_path: Path) -> None:
    target = tmp_path / "yolo.zip"
    annotated.export_dataset("YOLO 1.1", target, include_images=True)
    with zipfile.ZipFile(target) as archive:
        archive.extractall(tmp_path)
    names = (tmp_path / "obj.names").read_text().split()
    # Darknet's list of names in the newer form that current readers expect
    (tmp_path / "data.yaml").write_text("names: [" + ", ".join(names) + "]\n")
    folder = str(tmp_path / "obj_train_data")
    dataset = sv.DetectionDataset.from_yolo(folder, folder, str(tmp_path / "data.yaml"))

    assert dataset.classes == names
    assert sorted(Path(path).name for path in dataset.image_paths) == [item.name for item in photographs[:6]]
    boxes = {Path(path).name: found.xyxy.tolist() for path, _, found in dataset if len(found) > 0}
    assert list(boxes) == [photographs[1].name]
    assert boxes[photographs[1].name] == [pytest.approx([10, 20, 40, 60], abs=0.01)]


def test_cvat_xml_is_read_by_the_standard_library(annotated, photographs: list[Photograph], tmp_path: Path) -> None:
    target = tmp_path / "cvat.zip"
    annotated.export_dataset(IMAGES, target, include_images=False)
    with zipfile.ZipFile(target) as archive:
        root = ElementTree.fromstring(archive.read("annotations.xml"))
    assert root.findtext("version") == "1.1"
    assert root.findtext("meta/task/id") == str(annotated.id)
    images = {image.get("name"): image for image in root.iter("image")}
    assert list(images) == [item.name for item in photographs[:6]]
    (box,) = images[photographs[1].name]
    assert (box.tag, box.get("label"), box.get("xtl"), box.get("ybr")) == ("box", "animal", "10.00", "60.00")
    assert [shape.tag for shape in images[photographs[4].name]] == ["polygon", "mask"]


@pytest.mark.parametrize(("written", "read"), [(IMAGES, "CVAT 1.1"), ("COCO 1.0", "COCO 1.0"), ("YOLO 1.1", "YOLO 1.1")])
def test_project_datasets(client: Client, photographs: list[Photograph], tmp_path: Path, written: str, read: str) -> None:
    labels = [{"name": "animal"}]
    source = client.projects.create({"name": "source", "labels": labels})
    task = client.tasks.create_from_data(
        spec={"name": "part", "project_id": source.id, "subset": "Train"},
        resource_type=ResourceType.LOCAL,
        resources=[item.path for item in photographs[:3]],
    )
    (animal,) = (label.id for label in source.get_labels())
    task.set_annotations(
        {"shapes": [{"type": "rectangle", "frame": 1, "label_id": animal, "occluded": False, "points": [10, 20, 40, 60]}]}
    )
    archive = tmp_path / "project.zip"
    source.export_dataset(written, archive, include_images=True)

    target = client.projects.create({"name": "target", "labels": labels})
    target.import_dataset(read, archive)
    (made,) = target.get_tasks()
    assert made.subset.lower() == "train"
    assert [frame.name for frame in made.get_meta().frames] == [item.name for item in photographs[:3]]
    (shape,) = made.get_annotations().shapes
    assert (shape.frame, shape.points) == (1, pytest.approx([10, 20, 40, 60], abs=0.01))

    whole = client.projects.create_from_dataset({"name": "whole", "labels": labels}, dataset_path=archive, dataset_format=read)
    assert [task.size for task in whole.get_tasks()] == [3]


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
