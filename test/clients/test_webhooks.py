"""Webhooks from the view of a receiver: deliveries arrive and are signed, and the server records their result."""

import socket
import time
from collections.abc import Callable

import pytest
from cvat_sdk import Client, models
from photographs import Photograph
from receiver import Receiver
from standardwebhooks import Webhook, WebhookVerificationError

EVENTS = [
    f"{verb}:{resource}" for resource in ("task", "job", "issue", "comment") for verb in ("create", "update", "delete")
]


def subscribe(client: Client, project, target_url: str, **more: object):
    request = models.WebhookWriteRequest(
        target_url=target_url,
        type=models.WebhookType("project"),
        project_id=project.id,
        events=[models.EventsEnum(event) for event in EVENTS],
        **more,
    )
    webhook, _ = client.api_client.webhooks_api.create(request)
    return webhook


def until(what: str, fact: Callable[[], object]) -> object:
    """Polls `fact` until its result is truthy, and returns it; fails after 10 s."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if answer := fact():
            return answer
        time.sleep(0.1)
    raise AssertionError(f"After 10 s still not so: {what}")


def deliveries_of(client: Client, webhook) -> list:
    page, _ = client.api_client.webhooks_api.list_deliveries(webhook.id, page_size=1000)
    return page.results


def recorded(client: Client, webhook, count: int) -> list:
    """The `count` deliveries, newest first, after the result of each is recorded, which also updates its date."""

    def all_recorded() -> list | None:
        rows = deliveries_of(client, webhook)
        return rows if len(rows) == count and all(row.status_code for row in rows) else None

    return until(f"{count} deliveries are recorded", all_recorded)


@pytest.fixture
def webhook(client: Client, project, receiver: Receiver):
    return subscribe(client, project, receiver.url, secret=receiver.secret, api_version="2.1")


def test_object_and_list(client: Client, project, webhook, receiver: Receiver) -> None:
    api = client.api_client.webhooks_api
    assert (webhook.target_url, webhook.type.value, webhook.project_id) == (receiver.url, "project", project.id)
    assert [event.value for event in webhook.events] == sorted(EVENTS)
    assert "secret" not in webhook.to_dict()
    assert webhook.is_active

    page, _ = api.list(project_id=project.id)
    assert [other.id for other in page.results] == [webhook.id]

    changed, _ = api.partial_update(webhook.id, patched_webhook_write_request={"description": "renamed"})
    assert changed.description == "renamed"
    api.destroy(webhook.id)
    page, _ = api.list(project_id=project.id)
    assert page.results == []


def test_life_of_a_task(
    client: Client, project, webhook, receiver: Receiver, photographs: list[Photograph], credentials: tuple[str, str]
) -> None:
    task = client.tasks.create_from_data(
        {"name": "told to the receiver", "project_id": project.id}, [photograph.path for photograph in photographs[:3]]
    )
    created = receiver.wait_for("create:task")
    assert created.headers["content-type"] == "application/json"
    assert list(created.payload) == ["event", "task", "sender", "webhook_id"]
    assert created.payload["task"]["id"] == task.id
    assert created.payload["sender"]["username"] == credentials[0]
    assert created.payload["webhook_id"] == webhook.id
    assert "size" not in created.payload["task"]

    processed = receiver.wait_for("update:task", lambda p: p["task"]["mode"] == "annotation")
    assert processed.payload["task"]["size"] == 3
    (job,) = task.get_jobs()
    assert receiver.wait_for("create:job").payload["job"]["id"] == job.id

    job.update({"state": "in progress"})
    moved = receiver.wait_for("update:job", lambda p: p["job"]["state"] == "in progress").payload
    assert list(moved) == ["event", "job", "sender", "before_update", "changes", "webhook_id"]
    assert moved["before_update"]["state"] == "new"
    assert moved["changes"]["state"] == {"from": "new", "to": "in progress"}

    issue = client.issues.create({"frame": 0, "position": [1.0, 2.0], "job": job.id, "message": "Look here."})
    assert receiver.wait_for("create:issue").payload["issue"]["id"] == issue.id
    assert receiver.wait_for("create:comment").payload["comment"]["message"] == "Look here."

    task.remove()
    assert receiver.wait_for("delete:task").payload["task"]["id"] == task.id
    assert receiver.wait_for("delete:job").payload["job"]["id"] == job.id

    assert all(delivery.verified for delivery in receiver.deliveries)
    until(
        "every arrival is a delivery with status 200",
        lambda: [d.status_code for d in deliveries_of(client, webhook)] == [200] * len(receiver.deliveries),
    )


def test_last_status(client: Client, project, webhook, receiver: Receiver) -> None:
    client.tasks.create({"name": "one event", "project_id": project.id})
    receiver.wait_for("create:task")

    def told():
        seen, _ = client.api_client.webhooks_api.retrieve(webhook.id)
        return seen if seen.to_dict().get("last_status") else None

    seen = until("the webhook shows its last status", told)
    assert seen.last_status == 200
    assert seen.last_delivery_date >= webhook.created_date


def test_ping(client: Client, webhook, receiver: Receiver) -> None:
    delivery, _ = client.api_client.webhooks_api.create_ping(webhook.id)
    assert (delivery.event, delivery.status_code, delivery.webhook_id) == ("ping", 200, webhook.id)
    assert delivery.response == "thank you"

    arrival = receiver.wait_for("ping")
    assert arrival.verified
    assert list(arrival.payload) == ["event", "webhook", "sender"]
    assert arrival.payload["webhook"]["id"] == webhook.id


def test_redelivery(client: Client, project, webhook, receiver: Receiver) -> None:
    api = client.api_client.webhooks_api
    client.tasks.create({"name": "sent twice", "project_id": project.id})
    first = receiver.wait_for("create:task")
    (delivery,) = recorded(client, webhook, 1)
    assert (delivery.event, delivery.redelivery) == ("create:task", False)
    assert delivery.request["task"]["name"] == "sent twice"

    api.create_deliveries_redelivery(str(delivery.id), webhook.id)
    second = receiver.wait_for("create:task", count=2)
    assert second.verified
    assert second.payload == first.payload

    newest, oldest = recorded(client, webhook, 2)
    assert (newest.redelivery, newest.status_code, newest.event) == (True, 200, "create:task")
    assert oldest.id == delivery.id
    single, _ = api.retrieve_deliveries(str(newest.id), webhook.id)
    assert single.id == newest.id


def test_no_secret_no_signature(client: Client, project, receiver: Receiver) -> None:
    webhook = subscribe(client, project, receiver.url)
    client.api_client.webhooks_api.create_ping(webhook.id)
    assert "x-signature-256" not in receiver.wait_for("ping").headers


def test_new_secret_signs_what_follows(client: Client, webhook, receiver: Receiver) -> None:
    api = client.api_client.webhooks_api
    api.partial_update(webhook.id, patched_webhook_write_request={"secret": "another one"})
    refused, _ = api.create_ping(webhook.id)
    assert refused.status_code == 403

    receiver.secret = "another one"
    accepted, _ = api.create_ping(webhook.id)
    assert accepted.status_code == 200


def test_inactive_webhook_gets_nothing(client: Client, project, webhook, receiver: Receiver) -> None:
    api = client.api_client.webhooks_api
    api.partial_update(webhook.id, patched_webhook_write_request={"is_active": False})
    client.tasks.create({"name": "unheard", "project_id": project.id})
    api.partial_update(webhook.id, patched_webhook_write_request={"is_active": True})
    client.tasks.create({"name": "heard", "project_id": project.id})

    receiver.wait_for("create:task", lambda p: p["task"]["name"] == "heard")
    deliveries = recorded(client, webhook, 1)
    assert [delivery.request["task"]["name"] for delivery in deliveries] == ["heard"]


def test_nobody_listens(client: Client, project) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    webhook = subscribe(client, project, f"http://127.0.0.1:{port}/nobody")
    delivery, _ = client.api_client.webhooks_api.create_ping(webhook.id)
    assert (delivery.status_code, delivery.response) == (502, "")


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_payloads_speak_the_chosen_version(client: Client, project, receiver: Receiver, version: str) -> None:
    webhook = subscribe(client, project, receiver.url, secret=receiver.secret, api_version=version)
    client.tasks.create({"name": "in a version", "project_id": project.id})
    task = receiver.wait_for("create:task").payload["task"]
    client.api_client.webhooks_api.create_ping(webhook.id)
    pinged = receiver.wait_for("ping").payload["webhook"]

    if version == "2.0":
        assert sorted(label["name"] for label in task["labels"]) == ["animal", "cup", "face", "outdoors"]
        assert task["segments"] == []
        assert pinged["project"] == project.id
    else:
        assert set(task["labels"]) == {"url"}
        assert "segments" not in task
        assert pinged["project_id"] == project.id


def test_the_published_library_verifies(client: Client, project, token: str, base_url: str, http) -> None:
    """Verifies a generated secret with the Standard Webhooks library, before and during its rotation."""
    with Receiver(secret=None) as receiver:

        def post(path: str, **body: object) -> dict:
            headers = {"Authorization": f"Bearer {token}"}
            answer = http.request("POST", f"{base_url}/api/webhooks{path}", json=body, headers=headers)
            assert answer.status < 300, answer.data
            return answer.json()

        made = post(
            "",
            target_url=receiver.url,
            type="project",
            project_id=project.id,
            events=["create:task"],
            generate_secret=True,
        )
        client.tasks.create({"name": "signed: ключ", "project_id": project.id})
        first = receiver.wait_for("create:task")
        assert Webhook(made["secret"]).verify(first.body, first.headers)["task"]["name"] == "signed: ключ"

        rotated = post(f"/{made['id']}/secret")
        post(f"/{made['id']}/ping")
        second = receiver.wait_for("ping")
        for secret in (made["secret"], rotated["secret"]):
            assert Webhook(secret).verify(second.body, second.headers)["event"] == "ping"

        with pytest.raises(WebhookVerificationError):
            Webhook(rotated["secret"]).verify(first.body, first.headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(made["secret"]).verify(first.body + b" ", first.headers)
