"""A tracker: follows shapes with the Lucas-Kanade method, which finds where points of one frame are in the next one."""

from dataclasses import dataclass

import cv2
import cvat_sdk.auto_annotation as cvataa
import numpy as np
from PIL import Image

POINTS_PER_SIDE = 12
# A point is trusted if tracking it back ends this close to where it started, in pixels.
MAX_RETURN_ERROR = 1.0
MIN_TRUSTED_SHARE = 0.25

spec = cvataa.TrackingFunctionSpec(supported_shape_types={"rectangle", "polygon", "polyline", "points"})


@dataclass
class State:
    """The last frame on which the shape was found, and the corners of the shape there."""

    image: np.ndarray
    corners: np.ndarray


def preprocess_image(context: cvataa.TrackingFunctionContext, image: Image.Image) -> np.ndarray:
    return np.asarray(image.convert("L"))


def init_tracking_state(
    context: cvataa.TrackingFunctionShapeContext, image: np.ndarray, shape: cvataa.TrackableShape
) -> State:
    return State(image, np.array(shape.points, np.float64).reshape(-1, 2))


def track(
    context: cvataa.TrackingFunctionShapeContext, image: np.ndarray, state: State
) -> cvataa.TrackableShape | None:
    before = grid_over(state.corners)
    after, trusted = follow(state.image, image, before)
    if trusted.mean() < MIN_TRUSTED_SHARE:
        return None
    # Rotation, scale and shift; points of the background that lie in the shape are outliers.
    motion, _ = cv2.estimateAffinePartial2D(before[trusted], after[trusted], ransacReprojThreshold=2)
    if motion is None:
        return None
    linear, centre = motion[:, :2], state.corners.mean(axis=0)
    if context.original_shape_type == "rectangle":
        linear = np.eye(2) * np.hypot(*linear[0])  # the two corners of a rectangle must not be rotated
    corners = (state.corners - centre) @ linear.T + motion[:, :2] @ centre + motion[:, 2]
    state.image, state.corners = image, corners
    return cvataa.TrackableShape(type=context.original_shape_type, points=corners.ravel().tolist())


def grid_over(corners: np.ndarray) -> np.ndarray:
    """Points that are spread evenly over the bounding box of a shape."""
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    x, y = np.meshgrid(np.linspace(left, right, POINTS_PER_SIDE), np.linspace(top, bottom, POINTS_PER_SIDE))
    return np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float32)


def follow(before: np.ndarray, after: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the points are in the other image, and which of these positions can be trusted."""
    forward, found, _ = cv2.calcOpticalFlowPyrLK(before, after, points, None, winSize=(21, 21), maxLevel=4)
    back, found_back, _ = cv2.calcOpticalFlowPyrLK(after, before, forward, None, winSize=(21, 21), maxLevel=4)
    error = np.linalg.norm(back - points, axis=1)
    return forward, (found.ravel() == 1) & (found_back.ravel() == 1) & (error < MAX_RETURN_ERROR)
