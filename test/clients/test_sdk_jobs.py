"""Jobs, issues and comments through the SDK."""

import pytest
from cvat_sdk import Client
from cvat_sdk.api_client import exceptions


@pytest.fixture
def jobs(small_task):
    return sorted(small_task.get_jobs(), key=lambda job: job.start_frame)


def test_state_stage_and_assignee(client: Client, jobs) -> None:
    job = jobs[0]
    me = client.users.retrieve_current_user()
    assert (job.stage, job.state, job.status, job.assignee) == ("annotation", "new", "annotation", None)

    job.update({"assignee": me.id})
    assert job.assignee.id == me.id
    job.update({"state": "in progress"})
    assert (job.stage, job.state) == ("annotation", "in progress")

    job.update({"stage": "validation"})  # a new stage begins anew
    assert (job.stage, job.state, job.status) == ("validation", "new", "validation")
    assert job.assignee.id == me.id

    job.update({"stage": "acceptance", "state": "completed"})
    assert (job.stage, job.state, job.status) == ("acceptance", "completed", "completed")

    job.update({"assignee": None})
    assert client.jobs.retrieve(job.id).assignee is None


def test_task_follows_its_jobs(small_task, jobs) -> None:
    for job in jobs:
        job.update({"stage": "acceptance", "state": "completed"})
    small_task.fetch()
    assert small_task.status == "completed"
    assert (small_task.jobs.count, small_task.jobs.completed) == (2, 2)

    jobs[1].update({"stage": "validation"})
    small_task.fetch()
    assert small_task.status == "validation"
    assert (small_task.jobs.completed, small_task.jobs.validation) == (1, 1)


def test_list_and_filters(client: Client, small_task, jobs) -> None:
    ids = [job.id for job in jobs]
    assert sorted(job.id for job in client.jobs.list(task_id=small_task.id)) == ids
    assert [job.id for job in client.jobs.list(task_id=small_task.id, sort="-id")] == ids[::-1]

    jobs[1].update({"state": "rejected"})
    assert [job.id for job in client.jobs.list(task_id=small_task.id, state="rejected")] == [ids[1]]
    assert [job.id for job in client.jobs.list(id__in=ids, state="new")] == [ids[0]]


def test_labels_of_a_job(jobs) -> None:
    assert sorted(label.name for label in jobs[0].get_labels()) == ["animal", "cup", "face", "outdoors"]


def test_unknown_state_is_refused(client: Client, jobs) -> None:
    with pytest.raises(exceptions.OpenApiException):
        jobs[0].update({"state": "finished"})
    assert client.jobs.retrieve(jobs[0].id).state == "new"


def test_issues_and_comments(client: Client, jobs) -> None:
    job = jobs[0]
    issue = client.issues.create(
        {"frame": 1, "position": [10.5, 20.0, 30.0, 40.0], "job": job.id, "message": "Whiskers are missing."}
    )
    assert (issue.frame, issue.position, issue.job) == (1, [10.5, 20.0, 30.0, 40.0], job.id)
    assert not issue.resolved
    assert [comment.message for comment in issue.get_comments()] == ["Whiskers are missing."]
    assert [other.id for other in job.get_issues()] == [issue.id]

    comment = client.comments.create({"issue": issue.id, "message": "Added them."})
    comment.update({"message": "Added all of them."})
    assert sorted(c.message for c in issue.get_comments()) == ["Added all of them.", "Whiskers are missing."]

    issue.update({"resolved": True})
    assert client.issues.retrieve(issue.id).resolved
    assert client.issues.list(job_id=job.id, resolved=False) == []
    job.fetch()
    assert job.issues.count == 1

    comment.remove()
    assert len(issue.get_comments()) == 1
    issue.remove()
    with pytest.raises(exceptions.NotFoundException):
        client.issues.retrieve(issue.id)
    assert job.get_issues() == []
