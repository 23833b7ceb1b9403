"""
The model of the training loop, a stand-in for yours.

It learns the size and the colour of the boxes of each label, and finds the box that fits best.
"""

import json
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import cv2
import cvat_sdk.auto_annotation as cvataa
import numpy as np
from PIL import Image

DEFAULT_THRESHOLD = 0.5


def train(archives: Iterable[Path], model: Path) -> None:
    """Trains on archives in the format Hugging Face ImageFolder. Of a frame in several of them, the last one counts."""
    boxes_of_frames = {}
    for archive in archives:
        boxes_of_frames.update(read_boxes(archive))
    boxes = defaultdict(list)
    for frame in boxes_of_frames.values():
        for label, features in frame:
            boxes[label].append(features)
    model.write_text(json.dumps({label: np.mean(features, axis=0).tolist() for label, features in boxes.items()}))


def read_boxes(archive: Path) -> dict[tuple[Path, str], list[tuple[str, list[float]]]]:
    """The boxes of each frame: label, and width, height and mean colour."""
    frames = {}
    with zipfile.ZipFile(archive) as files:
        for metadata in (name for name in files.namelist() if name.endswith("metadata.jsonl")):
            for row in map(json.loads, files.read(metadata).splitlines()):
                name, objects = str(PurePosixPath(metadata).parent / row["file_name"]), row["objects"]
                with files.open(name) as file:
                    image = Image.open(file).convert("RGB")
                frames[archive.parent, name] = [
                    (label, [width, height, *mean_colour(image, left, top, width, height)])
                    for label, (left, top, width, height) in zip(objects["category"], objects["bbox"])
                ]
    return frames


def mean_colour(image: Image.Image, left: float, top: float, width: float, height: float) -> list[float]:
    return np.asarray(image.crop((left, top, left + width, top + height))).mean(axis=(0, 1)).tolist()


class ColourBoxes:
    def __init__(self, model: dict[str, list[float]]) -> None:
        self._means = list(model.values())
        labels = [cvataa.label_spec(name, id, type="rectangle") for id, name in enumerate(model)]
        self.spec = cvataa.DetectionFunctionSpec(labels=labels)

    def detect(
        self, context: cvataa.DetectionFunctionContext, image: Image.Image
    ) -> list[cvataa.DetectionAnnotation]:
        threshold = DEFAULT_THRESHOLD if context.conf_threshold is None else context.conf_threshold
        pixels = np.asarray(image.convert("RGB"), np.float32)
        found = [(label_id, *best_box(pixels, *means)) for label_id, means in enumerate(self._means)]
        return [cvataa.rectangle(label_id, box, score=score) for label_id, box, score in found if score >= threshold]


def best_box(pixels: np.ndarray, mean_width: float, mean_height: float, *colour: float) -> tuple[list[float], float]:
    """The corners of the best box, and a score that is 1 for exactly the mean colour."""
    height, width = pixels.shape[0], pixels.shape[1]
    box_width, box_height = min(round(mean_width), width), min(round(mean_height), height)
    colours = cv2.blur(pixels, (box_width, box_height), anchor=(0, 0))
    distances = np.linalg.norm(colours - np.array(colour, np.float32), axis=2)
    distances = distances[: height - box_height + 1, : width - box_width + 1]  # boxes that are inside the image
    y, x = map(int, np.unravel_index(distances.argmin(), distances.shape))
    score = max(0.0, 1 - float(distances[y, x]) / 128)
    return [float(x), float(y), float(x + box_width), float(y + box_height)], score


def create(model: str) -> ColourBoxes:
    return ColourBoxes(json.loads(Path(model).read_text()))
