"""An interactor: separates the clicked object from its surroundings with GrabCut, and returns a mask."""

import cv2
import cvat_sdk.auto_annotation as cvataa
import numpy as np
from cvat_sdk.masks import encode_mask
from PIL import Image

# GrabCut is slow, so it works on a small copy of the image.
MAX_SIDE = 300
CLICK_RADIUS = 3
ITERATIONS = 3
# Without a box, the object begins with the area around a click whose colours differ by at most this.
TOLERANCE = (40, 40, 40)

spec = cvataa.InteractionFunctionSpec(min_pos_points=1, min_neg_points=0, min_bounding_boxes=0)


class Preview:
    """A small copy of an image, and how to get from one to the other."""

    def __init__(self, image: Image.Image) -> None:
        self.full_size = image.size
        self.scale = min(1.0, MAX_SIDE / max(image.size))
        size = [max(1, round(side * self.scale)) for side in image.size]
        self.pixels = np.array(image.convert("RGB").resize(size))

    def position(self, point: tuple[float, float]) -> tuple[int, int]:
        height, width = self.pixels.shape[:2]
        return min(max(int(point[0] * self.scale), 0), width - 1), min(max(int(point[1] * self.scale), 0), height - 1)


def preprocess_image(context: cvataa.InteractionFunctionContext, image: Image.Image) -> Preview:
    return Preview(image)


def detect(
    context: cvataa.InteractionFunctionContext, preview: Preview, prompts: cvataa.InteractionPrompts
) -> list[cvataa.InteractionResultShape]:
    areas = first_guess(preview, prompts)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(preview.pixels, areas, None, *models, ITERATIONS, cv2.GC_INIT_WITH_MASK)
    found = np.isin(areas, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(np.uint8)

    _, parts = cv2.connectedComponents(found)
    clicked = {parts[y, x] for x, y in map(preview.position, prompts.pos_points)}
    mask = np.isin(parts, list(clicked)).astype(np.uint8)
    mask = cv2.resize(mask, preview.full_size, interpolation=cv2.INTER_NEAREST)
    return [cvataa.InteractionResultShape(type="mask", points=encode_mask(mask.astype(bool)))]


def first_guess(preview: Preview, prompts: cvataa.InteractionPrompts) -> np.ndarray:
    """What GrabCut starts with: what is certainly, and what is probably, part of the object."""
    height, width = preview.pixels.shape[:2]
    if prompts.bounding_box is not None:
        areas = np.full((height, width), cv2.GC_BGD, np.uint8)
        top_left, bottom_right = map(preview.position, prompts.bounding_box)
        cv2.rectangle(areas, top_left, bottom_right, cv2.GC_PR_FGD, cv2.FILLED)
        areas[0] = cv2.GC_BGD  # GrabCut fails without any background
    else:
        areas = np.full((height, width), cv2.GC_PR_BGD, np.uint8)
        similar = np.zeros((height + 2, width + 2), np.uint8)  # OpenCV asks for a border of one pixel
        flags = 4 | cv2.FLOODFILL_FIXED_RANGE | cv2.FLOODFILL_MASK_ONLY | 255 << 8
        for point in prompts.pos_points:
            cv2.floodFill(preview.pixels, similar, preview.position(point), 0, TOLERANCE, TOLERANCE, flags)
        areas[similar[1:-1, 1:-1] > 0] = cv2.GC_PR_FGD if prompts.neg_points else cv2.GC_FGD
    for points, value in ((prompts.neg_points, cv2.GC_BGD), (prompts.pos_points, cv2.GC_FGD)):
        for point in points:
            cv2.circle(areas, preview.position(point), CLICK_RADIUS, value, cv2.FILLED)
    return areas
