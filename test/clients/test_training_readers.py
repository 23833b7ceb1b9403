"""Exports, read by the libraries that people train with.

Torch takes 5 GB, so they are installed by hand: `pip install torchvision ultralytics`.
"""

from pathlib import Path

import numpy as np
import pytest
from test_formats import STEMS, exported, scene  # noqa: F401

VARIANTS = {
    "Detection": ("detect", 5),
    "Oriented Bounding Boxes": ("obb", 5),
    "Segmentation": ("segment", 3),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_ultralytics_checks_and_reads_the_dataset(scene, tmp_path: Path, monkeypatch, variant: str) -> None:  # noqa: F811
    monkeypatch.setenv("YOLO_OFFLINE", "true")
    monkeypatch.setenv("YOLO_CONFIG_DIR", str(tmp_path))
    pytest.importorskip("ultralytics", reason="needs `pip install ultralytics`")
    from ultralytics.data.dataset import YOLODataset
    from ultralytics.data.utils import check_det_dataset

    task, objects = VARIANTS[variant]
    folder = exported(scene, f"Ultralytics YOLO {variant} 1.0", tmp_path / "export")
    config = folder / "data.yaml"
    # Lists of images begin with `data/`, as CVAT writes them. Folders work, too. The check also demands a subset for
    # validation, and this dataset has only one.
    text = config.read_text().replace("train: train.txt", "train: images/train")
    config.write_text(f"{text}\nval: images/train\n")
    # Its paths are relative to the folder that one trains in.
    monkeypatch.chdir(folder)
    data = check_det_dataset(str(config), autodownload=False)
    assert list(data["names"].values()) == ["car", "tree", "icdar"]
    dataset = YOLODataset(img_path=data["train"], data=data, task=task, imgsz=64, augment=False)
    assert sorted(Path(path).stem for path in dataset.im_files) == STEMS
    assert sum(len(label["cls"]) for label in dataset.labels) == objects
    first = next(label for label in dataset.labels if Path(label["im_file"]).stem == STEMS[0])
    if task == "detect":
        height, width = first["shape"]
        boxes = first["bboxes"] * np.array([width, height, width, height])
        assert boxes[0] == pytest.approx([25, 40, 30, 40], abs=0.01)


def test_ultralytics_checks_the_classification_dataset(scene, tmp_path: Path, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setenv("YOLO_OFFLINE", "true")
    monkeypatch.setenv("YOLO_CONFIG_DIR", str(tmp_path))
    pytest.importorskip("ultralytics", reason="needs `pip install ultralytics`")
    from ultralytics.data.utils import check_cls_dataset

    folder = exported(scene, "Ultralytics YOLO Classification 1.0", tmp_path / "export")
    data = check_cls_dataset(str(folder))
    assert list(data["names"].values()) == ["car", "no_label", "tree"]


def test_torchvision_reads_pascal_voc(scene, tmp_path: Path) -> None:  # noqa: F811
    datasets = pytest.importorskip("torchvision", reason="needs `pip install torchvision`").datasets
    folder = exported(scene, "PASCAL VOC 1.1", tmp_path / "VOCdevkit" / "VOC2012")
    for kind in ("Main", "Segmentation"):
        lists = folder / "ImageSets" / kind
        (lists / "train.txt").write_text((lists / "default.txt").read_text())
    detection = datasets.VOCDetection(str(tmp_path), year="2012", image_set="train")
    assert len(detection) == 3
    image, target = detection[0]
    found = target["annotation"]["object"]
    assert [(each["name"], each["bndbox"]["xmin"]) for each in found] == [("car", "10.0"), ("car", "60.0")]
    assert image.size == tuple(int(target["annotation"]["size"][side]) for side in ("width", "height"))
    (pixels,) = [np.array(mask) for _, mask in datasets.VOCSegmentation(str(tmp_path), year="2012", image_set="train")]
    assert pixels.shape[0] > 0 and (pixels != 0).any()
