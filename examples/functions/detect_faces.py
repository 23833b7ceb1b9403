"""
A detector: finds faces, and the eyes in them, with Haar cascades, which OpenCV includes.

Parameters: `-p min_size=int:40` is the smallest width of a face in pixels.
"""

from collections.abc import Iterator
from pathlib import Path

import cv2
import cvat_sdk.auto_annotation as cvataa
import numpy as np
from PIL import Image

DEFAULT_THRESHOLD = 0.5
FACE, EYE = 0, 1


class FaceDetector:
    spec = cvataa.DetectionFunctionSpec(
        labels=[
            cvataa.label_spec("face", FACE, type="rectangle"),
            cvataa.label_spec("eye", EYE, type="rectangle"),
        ]
    )

    def __init__(self, min_size: int) -> None:
        self._min_size = min_size
        self._faces = load_cascade("haarcascade_frontalface_default.xml")
        self._eyes = load_cascade("haarcascade_eye.xml")

    def detect(
        self, context: cvataa.DetectionFunctionContext, image: Image.Image
    ) -> list[cvataa.DetectionAnnotation]:
        threshold = DEFAULT_THRESHOLD if context.conf_threshold is None else context.conf_threshold
        gray = np.asarray(image.convert("L"))
        found = []
        for x, y, width, height, score in find(self._faces, gray, self._min_size):
            if score >= threshold:
                found.append(cvataa.rectangle(FACE, [x, y, x + width, y + height], score=score))
                face = gray[y : y + height, x : x + width]
                for left, top, w, h, score in find(self._eyes, face, width // 8):
                    if score >= threshold:
                        box = [x + left, y + top, x + left + w, y + top + h]
                        found.append(cvataa.rectangle(EYE, box, score=score))
        return found


def load_cascade(file: str) -> cv2.CascadeClassifier:
    return cv2.CascadeClassifier(str(Path(cv2.data.haarcascades, file)))


def find(cascade: cv2.CascadeClassifier, gray: np.ndarray, min_size: int) -> Iterator[tuple[int, int, int, int, float]]:
    """Left, top, width, height and a score between 0 and 1 of each object."""
    size = (min_size, min_size)
    boxes, _, weights = cascade.detectMultiScale3(gray, minNeighbors=5, minSize=size, outputRejectLevels=True)
    for box, weight in zip(boxes, weights):
        # A weight has no upper limit; it is below 1 for doubtful objects, and above 3 for clear ones.
        yield *map(int, box), float(1 - np.exp(-max(weight, 0) / 2))


def create(min_size: int = 40) -> FaceDetector:
    return FaceDetector(min_size)
