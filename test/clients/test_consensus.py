"""Consensus through the SDK: settings, merging the replicas of a task, and reading the result."""

import pytest
from cvat_sdk import Client
from cvat_sdk.api_client import exceptions
from photographs import Photograph

BOX = [10.0, 20.0, 110.0, 220.0]


@pytest.fixture
def task(client: Client, photographs: list[Photograph]):
    """Two photographs in one job, with three replicas."""
    task = client.tasks.create_from_data(
        {"name": "Replicas", "labels": [{"name": "cup"}], "initial_replicas": 3},
        [photograph.path for photograph in photographs[:2]],
    )
    yield task
    client.tasks.remove_by_ids([task.id])


def test_merging_replicas(client: Client, task) -> None:
    consensus = client.api_client.consensus_api
    settings, _ = consensus.list_settings(task_id=task.id)
    assert [(each.task_id, each.iou_threshold) for each in settings.results] == [(task.id, 0.4)]
    changed, _ = consensus.partial_update_settings(
        settings.results[0].id, patched_consensus_settings_request={"iou_threshold": 0.6}
    )
    assert changed.iou_threshold == 0.6
    assert consensus.retrieve_settings(changed.id)[0].iou_threshold == 0.6

    jobs = sorted(task.get_jobs(), key=lambda job: job.id)
    assert [job.type for job in jobs] == ["annotation"] + ["consensus_replica"] * 3
    parent, *replicas = jobs
    assert [job.parent_job_id for job in replicas] == [parent.id] * 3
    with pytest.raises(exceptions.ApiException) as refused:
        consensus.create_merge(consensus_merge_create_request={"task_id": task.id})
    assert refused.value.status == 400

    [label] = task.get_labels()
    for number, replica in enumerate(replicas):
        box = {"type": "rectangle", "label_id": label.id, "frame": 0, "points": [BOX[0] + number, *BOX[1:]]}
        alone = {**box, "frame": 1}
        replica.set_annotations({"shapes": [box, alone] if number == 0 else [box]})
        replica.update({"state": "completed"})

    response, _ = consensus.create_merge(consensus_merge_create_request={"task_id": task.id})
    assert response.rq_id == f"action=merge&target=task&target_id={task.id}"
    request, _ = client.wait_for_completion(response.rq_id)
    assert (request.status.value, request.operation.type) == ("finished", "merge:task")

    parent.fetch()
    assert (parent.stage, parent.state) == ("annotation", "completed")
    # The box in the middle of three; the one that a single replica has is left out.
    [shape] = parent.get_annotations().shapes
    assert (shape.frame, shape.points, shape.source) == (0, [BOX[0] + 1, *BOX[1:]], "consensus")
