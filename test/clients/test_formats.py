"""Exports in the formats of datasets, read by the tools that people train and evaluate with."""

import contextlib
import io
import json
import zipfile
from collections import Counter
from pathlib import Path

import datumaro as dm
import motmetrics
import numpy as np
import pyarrow.parquet
import pytest
import trackeval
from conftest import LABELS
from cvat_sdk import Client
from photographs import Photograph
from PIL import Image
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def text_attribute(name: str, **more) -> dict:
    return {"name": name, "mutable": False, "input_type": "text", "default_value": "", "values": [""], **more}


SCENE = [
    {"name": "car", "color": "#d01020"},
    {"name": "tree", "color": "#20a040"},
    {"name": "icdar", "color": "#102030", "attributes": [text_attribute("text")]},
]

PEOPLE = [
    {"name": "person", "color": "#d01020"},
    {"name": "market-1501", "attributes": [text_attribute(name) for name in ("query", "person_id", "camera_id")]},
    next(label for label in LABELS if label.get("type") == "skeleton"),
]

STEMS = ["photo_000_astronaut", "photo_001_chelsea", "photo_002_coffee"]


@pytest.fixture(scope="module")
def scene(client: Client, photographs: list[Photograph]):
    """Three photographs with tags, rectangles, polygons, a mask and a track."""
    task = make_task(client, SCENE, photographs[:3])
    car, tree, icdar = (label.id for label in task.get_labels())
    (text,) = [attribute.id for label in task.get_labels() for attribute in label.attributes]
    written = {"label_id": icdar, "occluded": False, "attributes": [{"spec_id": text, "value": "exit"}]}
    plain = {"occluded": False}
    box = {"type": "rectangle", "occluded": False, "outside": False}
    task.set_annotations(
        {
            "tags": [{"frame": 0, "label_id": car}, {"frame": 2, "label_id": tree}],
            "shapes": [
                {**plain, "type": "rectangle", "frame": 0, "label_id": car, "points": [10, 20, 40, 60]},
                {**plain, "type": "polygon", "frame": 0, "label_id": tree, "points": [50, 10, 90, 10, 90, 50, 50, 50]},
                {**plain, "type": "mask", "frame": 1, "label_id": car, "points": [0, 4, 12, 21, 13, 22]},
                {**written, "type": "polygon", "frame": 1, "points": [30, 30, 60, 30, 60, 45, 30, 45]},
                {**written, "type": "rectangle", "frame": 2, "points": [5, 5, 25, 15]},
            ],
            "tracks": [
                {
                    "frame": 0,
                    "label_id": car,
                    "shapes": [
                        {**box, "frame": 0, "points": [60, 60, 80, 80]},
                        {**box, "frame": 2, "points": [64, 64, 84, 84]},
                    ],
                }
            ],
        }
    )
    yield task
    client.tasks.remove_by_ids([task.id])


@pytest.fixture(scope="module")
def people(client: Client, photographs: list[Photograph]):
    """Two photographs with a person, landmarks and skeletons."""
    task = make_task(client, PEOPLE, photographs[:2])
    labels = {label.name: label for label in task.get_labels()}
    person, market, face = (labels[name].id for name in ("person", "market-1501", "face"))
    values = zip(labels["market-1501"].attributes, ("False", "12", "3"), strict=True)
    parts = [part.id for part in labels["face"].sublabels]

    def skeleton(frame: int, points: list[tuple[float, float]]) -> dict:
        common = {"type": "points", "frame": frame, "occluded": False, "outside": False}
        pairs = zip(parts, points, strict=True)
        elements = [{**common, "label_id": part, "points": list(point)} for part, point in pairs]
        return {"type": "skeleton", "frame": frame, "label_id": face, "occluded": False, "elements": elements}

    landmarks = [20, 20, 40, 20, 30, 30, 22, 40, 38, 40]
    task.set_annotations(
        {
            "tags": [
                {
                    "frame": 0,
                    "label_id": market,
                    "attributes": [{"spec_id": spec.id, "value": value} for spec, value in values],
                },
            ],
            "shapes": [
                {"type": "rectangle", "frame": 1, "label_id": person, "occluded": False, "points": [10, 10, 50, 50]},
                {"type": "points", "frame": 1, "label_id": person, "occluded": False, "points": landmarks},
                skeleton(0, [(10, 10), (60, 12), (30, 70)]),
                skeleton(1, [(20, 20), (40, 20), (30, 40)]),
            ],
        }
    )
    yield task
    client.tasks.remove_by_ids([task.id])


def make_task(client: Client, labels: list[dict], photographs: list[Photograph]):
    return client.tasks.create_from_data(
        {"name": "Formats", "labels": labels},
        [photograph.path for photograph in photographs],
        data_params={"sorting_method": "lexicographical"},
    )


def exported(task, format_name: str, folder: Path, *, images: bool = True) -> Path:
    """Exports the task, and unpacks the archive."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / "dataset.zip"
    task.export_dataset(format_name, archive, include_images=images)
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    archive.unlink()
    return folder


def contents(dataset: dm.Dataset) -> Counter:
    """Numbers of annotations by type and label, without those of the background."""
    labels = dataset.categories().get(dm.AnnotationType.label, [])

    def name_of(annotation: dm.Annotation) -> str:
        number = getattr(annotation, "label", None)
        return labels[number].name if labels and number is not None else ""

    annotations = [annotation for item in dataset for annotation in item.annotations]
    named = [(each.type.name, name_of(each)) for each in annotations]
    return Counter(f"{kind} {name}".strip() for kind, name in named if name != "background")


BOXES = {"bbox car": 4, "bbox icdar": 1}
TAGS = {"label car": 1, "label tree": 1}
EVERYTHING = {**BOXES, **TAGS, "polygon tree": 1, "polygon icdar": 1, "mask car": 1}


@pytest.mark.parametrize(
    ("written", "reader", "expected"),
    [
        ("CamVid 1.0", "camvid", {"mask car": 3, "mask tree": 1, "mask icdar": 2}),
        (
            "COCO 1.0",
            "coco_instances",
            {"bbox car": 5, "bbox tree": 1, "bbox icdar": 2, "polygon tree": 1, "polygon icdar": 1, "mask car": 1},
        ),
        ("CVAT for images 1.1", "cvat", EVERYTHING),
        ("Datumaro 1.0", "datumaro", EVERYTHING),
        ("ICDAR Recognition 1.0", "icdar_word_recognition", {"caption": 2}),
        ("ICDAR Localization 1.0", "icdar_text_localization", {"bbox": 5, "polygon": 2}),
        ("ICDAR Segmentation 1.0", "icdar_text_segmentation", {"mask": 8}),
        ("ImageNet 1.0", "imagenet", TAGS),
        ("KITTI 1.0", "kitti_detection", BOXES),
        ("KITTI 1.0", "kitti_segmentation", {"mask tree": 1, "mask car": 1, "mask icdar": 1}),
        ("LFW 1.0", "lfw", TAGS),
        ("Segmentation mask 1.1", "voc_segmentation", {"mask car": 5, "mask tree": 1, "mask icdar": 2}),
        ("MOTS PNG 1.0", "mots", {"mask car": 3}),
        ("Open Images V6 1.0", "open_images", {**BOXES, **TAGS, "mask tree": 1, "mask car": 1, "mask icdar": 1}),
        ("PASCAL VOC 1.1", "voc", {**BOXES, **TAGS, "mask car": 1}),
        ("WiderFace 1.0", "wider_face", {**BOXES, **TAGS}),
        ("YOLO 1.1", "yolo", BOXES),
        ("Ultralytics YOLO Detection 1.0", "yolo", BOXES),
    ],
)
def test_scene_is_read_by_datumaro(scene, tmp_path: Path, written: str, reader: str, expected: dict) -> None:
    dataset = dm.Dataset.import_from(str(exported(scene, written, tmp_path)), reader)
    assert contents(dataset) == expected
    # ImageNet's reader puts the label in front of the name.
    assert sorted(item.id.split(":")[-1] for item in dataset) == STEMS


def test_boxes_keep_their_positions_in_datumaro(scene, tmp_path: Path) -> None:
    dataset = dm.Dataset.import_from(str(exported(scene, "PASCAL VOC 1.1", tmp_path)), "voc")
    annotations = [each for item in dataset if item.id == STEMS[0] for each in item.annotations]
    boxes = [each.points for each in annotations if each.type.name == "bbox"]
    assert sorted(boxes) == [pytest.approx([10, 20, 40, 60]), pytest.approx([60, 60, 80, 80])]


@pytest.mark.parametrize(
    ("written", "reader", "expected"),
    [
        ("COCO Keypoints 1.0", "coco_person_keypoints", {"points face": 2, "bbox face": 2}),
        ("LabelMe 3.0", "label_me", {"bbox person": 1}),
        ("VGGFace2 1.0", "vgg_face2", {"bbox person": 1, "points person": 1, "label market-1501": 1}),
        ("Market-1501 1.0", "market1501", {}),
    ],
)
def test_people_are_read_by_datumaro(people, tmp_path: Path, written: str, reader: str, expected: dict) -> None:
    dataset = dm.Dataset.import_from(str(exported(people, written, tmp_path)), reader)
    assert contents(dataset) == expected


@pytest.mark.parametrize("kind", ["bbox", "keypoints"])
def test_coco_evaluated_against_itself_has_an_average_precision_of_1(scene, people, tmp_path: Path, kind: str) -> None:
    task, name, file = (
        (scene, "COCO 1.0", "instances") if kind == "bbox" else (people, "COCO Keypoints 1.0", "person_keypoints")
    )
    path = exported(task, name, tmp_path, images=False) / "annotations" / f"{file}_default.json"
    found = [{**annotation, "score": 1.0} for annotation in json.loads(path.read_text())["annotations"]]
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(path)
        evaluation = COCOeval(truth, truth.loadRes(found), kind)
        evaluation.params.kpt_oks_sigmas = np.full(3, 0.05)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    assert evaluation.stats[0] == pytest.approx(1.0)


def test_mot_is_read_by_motmetrics(scene, tmp_path: Path) -> None:
    path = exported(scene, "MOT 1.1", tmp_path, images=False) / "gt" / "gt.txt"
    truth = motmetrics.io.loadtxt(path, fmt="mot16", min_confidence=1)
    tracked = truth[truth.index.get_level_values("Id") > 0]
    # It counts pixels from 1.
    assert tracked[["X", "Y", "Width", "Height"]].values.tolist() == [[x - 1, x - 1, 20, 20] for x in (60, 62, 64)]
    result = motmetrics.MOTAccumulator(auto_id=True)
    for _, rows in tracked.groupby("FrameId"):
        ids = rows.index.get_level_values("Id")
        # Every object is found where it is.
        result.update(ids, ids, np.where(np.eye(len(ids)), 0.0, np.nan))
    summary = motmetrics.metrics.create().compute(result, metrics=["num_frames", "mota", "num_switches"])
    assert summary.values.tolist() == [[3, 1.0, 0]]


def test_mot_evaluated_against_itself_by_trackeval_is_perfect(scene, tmp_path: Path) -> None:
    exported(scene, "MOT 1.1", tmp_path / "truth" / "scene", images=False)
    path = tmp_path / "truth" / "scene" / "gt" / "gt.txt"
    # It rejects shapes without a track, because they have the same number.
    tracked = [row for row in path.read_text().splitlines() if int(row.split(",")[1]) > 0]
    found = tmp_path / "found" / "export" / "data" / "scene.txt"
    found.parent.mkdir(parents=True)
    for file in (path, found):
        file.write_text("\n".join(tracked))
    quiet = {"PRINT_CONFIG": False}
    output = {"PRINT_RESULTS": False, "OUTPUT_SUMMARY": False, "OUTPUT_DETAILED": False, "PLOT_CURVES": False}
    places = {"GT_FOLDER": str(tmp_path / "truth"), "TRACKERS_FOLDER": str(tmp_path / "found"), "SKIP_SPLIT_FOL": True}
    sequences = {"SEQ_INFO": {"scene": 3}, "DO_PREPROC": False}
    dataset = trackeval.datasets.MotChallenge2DBox({**quiet, **places, **sequences})
    metrics = [trackeval.metrics.CLEAR(quiet), trackeval.metrics.HOTA()]
    results, _ = trackeval.Evaluator({**quiet, **output, "TIME_PROGRESS": False}).evaluate([dataset], metrics)
    # The first label is in the place of the class that the benchmark evaluates.
    own = results["MotChallenge2DBox"]["export"]["scene"]["pedestrian"]
    assert (own["CLEAR"]["MOTA"], own["HOTA"]["HOTA"].mean()) == (1.0, pytest.approx(1.0))


def test_cityscapes_numbers_the_objects_of_labels(scene, tmp_path: Path) -> None:
    folder = exported(scene, "Cityscapes 1.0", tmp_path)
    names = [line.split(maxsplit=3)[3] for line in (folder / "label_colors.txt").read_text().splitlines()]
    objects = np.array(Image.open(folder / "gtFine" / "default" / f"{STEMS[1]}_gtFine_instanceIds.png"))
    assert sorted(names[value // 1000] for value in np.unique(objects)) == ["background", "car", "car", "icdar"]
    image = folder / "imgsFine" / "leftImg8bit" / "default" / f"{STEMS[1]}_leftImg8bit.jpg"
    assert Image.open(image).size == objects.shape[::-1]


def test_classification_has_a_folder_for_each_label(scene, tmp_path: Path) -> None:
    folder = exported(scene, "Ultralytics YOLO Classification 1.0", tmp_path)
    (folder / "train" / "labels.json").unlink()  # our own addition
    dataset = dm.Dataset.import_from(str(folder), "imagenet_with_subset_dirs")
    assert contents(dataset) == TAGS


def test_parquet_is_read_by_pyarrow(scene, tmp_path: Path) -> None:
    folder = exported(scene, "Hugging Face Parquet 1.0", tmp_path) / "data" / "default"
    rows = pyarrow.parquet.read_table(folder / "metadata.parquet").to_pylist()
    assert [row["file_name"] for row in rows] == [f"{stem}.jpg" for stem in STEMS]
    assert [row["tags"] for row in rows] == [["car"], [], ["tree"]]
    assert rows[0]["objects"]["bbox"][:2] == [[10, 20, 30, 40], [50, 10, 40, 40]]
    assert rows[0]["objects"]["category"][:2] == ["car", "tree"]
    assert Image.open(folder / rows[0]["file_name"]).size == (rows[0]["width"], rows[0]["height"])


@pytest.mark.parametrize("format_name", ["Hugging Face ImageFolder 1.0", "Hugging Face Parquet 1.0"])
def test_hugging_face_datasets_load_images_with_their_objects(scene, tmp_path: Path, monkeypatch, format_name: str) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    folder = exported(scene, format_name, tmp_path) / "data"
    cache = str(tmp_path / "cache")
    rows = datasets.load_dataset("imagefolder", data_dir=str(folder), cache_dir=cache, split="train")
    assert [row["tags"] for row in rows] == [["car"], [], ["tree"]]
    assert rows[0]["objects"]["bbox"][:2] == [[10, 20, 30, 40], [50, 10, 40, 40]]
    assert rows[0]["objects"]["category"][:2] == ["car", "tree"]
    assert rows[0]["image"].size == (rows[0]["width"], rows[0]["height"])

    # As docs/formats.md tells how to get numbers.
    features = rows.features.copy()
    features["objects"]["category"] = datasets.List(datasets.ClassLabel(names=["car", "tree", "icdar"]))
    assert rows.cast(features)[0]["objects"]["category"][:2] == [0, 1]


def test_panoptic_segments_are_the_colours_of_their_image(scene, tmp_path: Path) -> None:
    folder = exported(scene, "COCO Panoptic 1.0", tmp_path, images=False) / "annotations"
    panoptic = json.loads((folder / "panoptic_default.json").read_text())
    assert len(panoptic["annotations"]) == 3
    for annotation in panoptic["annotations"]:
        pixels = np.array(Image.open(folder / "panoptic_default" / annotation["file_name"]), dtype=np.uint32)
        ids = pixels[..., 0] + 256 * pixels[..., 1] + 65536 * pixels[..., 2]
        areas = {segment["id"]: segment["area"] for segment in annotation["segments_info"]}
        assert areas == {int(value): int((ids == value).sum()) for value in np.unique(ids) if value != 0}
