"""Quality control through the SDK: settings, reports and conflicts."""

import json

import pytest
from cvat_sdk import Client, models


@pytest.fixture
def checked_task(client: Client, small_task):
    """Ground truth with an object on the first frame, and a job with this object and another one."""
    label = next(label for label in small_task.get_labels() if label.name == "cup")

    def cup(left: float) -> models.LabeledShapeRequest:
        points = [left, 10.0, left + 30.0, 40.0]
        return models.LabeledShapeRequest(type="rectangle", frame=0, label_id=label.id, points=points)

    truth, _ = client.api_client.jobs_api.create(
        models.JobWriteRequest(
            type="ground_truth", task_id=small_task.id, frame_selection_method="manual", frames=[0]
        )
    )
    client.jobs.retrieve(truth.id).set_annotations(models.LabeledDataRequest(shapes=[cup(10.0)]))
    job = min((job for job in small_task.get_jobs() if job.type == "annotation"), key=lambda job: job.start_frame)
    job.set_annotations(models.LabeledDataRequest(shapes=[cup(12.0), cup(60.0)]))
    client.jobs.retrieve(truth.id).update({"stage": "acceptance", "state": "completed"})
    return small_task


def _report(client: Client, **target: int) -> int:
    # The client would read the response as a report, so its own tests do not let it parse the response either.
    _, response = client.api_client.quality_api.create_report(
        quality_report_create_request=models.QualityReportCreateRequest(**target), _parse_response=False
    )
    assert response.status == 202
    request, _ = client.wait_for_completion(json.loads(response.data)["rq_id"])
    assert request.operation.type == "calculate:quality"
    return request.result_id


def test_settings(client: Client, small_task) -> None:
    api = client.api_client.quality_api
    page, _ = api.list_settings(task_id=small_task.id)
    [settings] = page.results
    assert (settings.task_id, settings.project_id, settings.inherit) == (small_task.id, None, True)
    assert settings.max_validations_per_job == 0
    changed, _ = api.partial_update_settings(
        settings.id, patched_quality_settings_request={"max_validations_per_job": 3, "inherit": False}
    )
    assert (changed.max_validations_per_job, changed.inherit) == (3, False)
    found, _ = api.retrieve_settings(settings.id)
    assert found.max_validations_per_job == 3
    replaced, _ = api.update_settings(settings.id, quality_settings_request={"max_validations_per_job": 1})
    assert (replaced.max_validations_per_job, replaced.inherit) == (1, False)


def test_requirements(client: Client, small_task) -> None:
    api = client.api_client.quality_api
    [settings] = api.list_settings(task_id=small_task.id)[0].results
    [base] = api.list_settings_requirements(settings_id=settings.id, enabled=True)[0].results
    assert (base.is_base, base.task_id, base.iou_threshold, base.match_groups) == (True, small_task.id, 0.4, True)
    assert (str(base.metric), base.required_score) == ("accuracy", 0.7)
    changed, _ = api.partial_update_settings_requirements(
        base.id, patched_quality_requirement_request={"iou_threshold": 0.6, "metric": "recall"}
    )
    assert (changed.iou_threshold, changed.effective["iou_threshold"]) == (0.6, 0.6)
    replaced, _ = api.update_settings_requirements(
        base.id, quality_requirement_request=models.QualityRequirementRequest(required_score=0.9)
    )
    assert (str(replaced.metric), replaced.required_score, replaced.iou_threshold) == ("recall", 0.9, 0.6)
    assert api.retrieve_settings_requirements(base.id)[0].required_score == 0.9


def test_report_of_a_task(client: Client, checked_task) -> None:
    api = client.api_client.quality_api
    report_id = _report(client, task_id=checked_task.id)
    report, _ = api.retrieve_report(report_id)
    assert (report.target.value, report.task_id, report.job_id) == ("task", checked_task.id, None)
    summary = report.summary
    assert (summary.validation_frames, summary.conflict_count, summary.error_count) == (1, 1, 1)
    assert dict(summary.conflicts_by_type) == {"extra_annotation": 1}
    assert (summary.jobs.total, summary.jobs.included, summary.jobs.not_checkable) == (2, 2, 1)
    assert (summary["accuracy"], summary["precision"], summary["recall"]) == (0.5, 0.5, 1.0)

    page, _ = api.list_reports(task_id=checked_task.id, target="job")
    assert {part.parent_id for part in page.results} == {report_id}

    _, response = api.retrieve_report_data(report_id, _parse_response=False)
    document = json.loads(response.data)
    assert document["comparison_summary"]["annotations"]["confusion_matrix"]["labels"][-1] == "unmatched"

    [item] = summary.requirements["items"]
    assert (str(item.metric), item.score, item.threshold) == ("accuracy", 0.5, 0.7)
    assert item.score_components.extra_count == 1
    matrix, _ = api.retrieve_report_requirement_confusion(report_id, item.requirement_id)
    assert matrix.labels[-1] == "unmatched"
    assert matrix.target_metric_summary["values"].micro == 0.5

    page, _ = api.list_conflicts(report_id=report_id)
    [conflict] = page.results
    assert (conflict.frame, str(conflict.type), conflict.annotation_ids[0].job_id) == (
        0,
        "extra_annotation",
        conflict.annotation_ids[0].job_id,
    )


def test_report_of_a_project(client: Client, project) -> None:
    report, _ = client.api_client.quality_api.retrieve_report(_report(client, project_id=project.id))
    assert (report.target.value, report.project_id) == ("project", project.id)
    assert (report.summary.tasks.total, report.summary.tasks.completed) == (0, 0)
