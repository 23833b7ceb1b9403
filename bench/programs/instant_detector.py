"""A function for `cvat-cli function run-agent` that takes no time: 20 boxes on every image."""

import cvat_sdk.auto_annotation as cvataa

BOXES = 20

spec = cvataa.DetectionFunctionSpec(labels=[cvataa.label_spec("car", 0, type="rectangle")])


def detect(context, image):
    return [cvataa.rectangle(0, [at, at, at + 30.5, at + 40.25]) for at in range(BOXES)]
