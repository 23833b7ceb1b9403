"""
Annotates a video task with a detector, frame by frame: `cvat-cli task auto-annotate` accepts only tasks of images.

    python annotate_video.py http://127.0.0.1:8080 7 detect_faces.py
"""

import os
import runpy
import sys
from types import SimpleNamespace

import cvat_sdk.auto_annotation as cvataa
from cvat_sdk import Client, make_client
from cvat_sdk.datasets import MediaDownloadPolicy, TaskDataset
from PIL import Image


def load(path: str) -> cvataa.DetectionFunction:
    module = SimpleNamespace(**runpy.run_path(path))
    return module.create() if hasattr(module, "create") else module


def annotate(client: Client, task_id: int, function: cvataa.DetectionFunction) -> int:
    """Adds what the function finds. Labels are matched by name. @return the number of new shapes"""
    policy = MediaDownloadPolicy.FETCH_FRAMES_ON_DEMAND
    video = TaskDataset(client, task_id, load_annotations=False, media_download_policy=policy)
    task_labels = {label.name: label.id for label in video.labels}
    label_ids = {label.id: task_labels[label.name] for label in function.spec.labels if label.name in task_labels}
    shapes = []
    for sample in video.samples:
        context = SimpleNamespace(frame_name=sample.frame_name, conf_threshold=None, conv_mask_to_poly=False)
        image: Image.Image = sample.media.load_image()
        for shape in function.detect(context, image):
            if shape.label_id in label_ids:
                shape.frame, shape.label_id, shape.source = sample.frame_index, label_ids[shape.label_id], "auto"
                shapes.append(shape)
    client.tasks.api.partial_update_annotations("create", task_id, patched_labeled_data_request={"shapes": shapes})
    return len(shapes)


if __name__ == "__main__":
    url, task, file = sys.argv[1:]
    with make_client(url, access_token=os.environ["CVAT_ACCESS_TOKEN"]) as client:
        print(annotate(client, int(task), load(file)), "shapes")
