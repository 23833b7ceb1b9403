"""Cloud storages with a real S3 server: listing, tasks from a bucket, exports and imports."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import boto3
import pytest
from botocore.exceptions import BotoCoreError
from cvat_sdk import Client
from cvat_sdk.core.proxies.tasks import ResourceType
from photographs import Photograph

BUCKET = "photographs"
KEY, SECRET = "client-tests-key", "client-tests-secret"
FORMAT = "CVAT for images 1.1"


@pytest.fixture(scope="module")
def bucket(photographs: list[Photograph]) -> Iterator[tuple[str, object]]:
    """The URL of an S3 server with a bucket of three photographs, and a client for it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = "import sys; from moto.server import main; sys.exit(main(sys.argv[1:]))"
    server = subprocess.Popen(
        [sys.executable, "-c", command, "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    s3 = boto3.client(
        "s3",
        endpoint_url=address,
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
    )
    try:
        for attempt in range(120):
            try:
                s3.create_bucket(Bucket=BUCKET)
                break
            except BotoCoreError:
                assert server.poll() is None and attempt < 119, "the server of buckets does not start"
                time.sleep(0.5)
        for photograph in photographs[:3]:
            s3.upload_file(str(photograph.path), BUCKET, f"shots/{Path(photograph.path).name}")
        yield address, s3
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def storage(client: Client, bucket) -> Iterator[int]:
    made, response = client.api_client.cloudstorages_api.create(
        {
            "provider_type": "AWS_S3_BUCKET",
            "resource": BUCKET,
            "display_name": "client tests",
            "credentials_type": "KEY_SECRET_KEY_PAIR",
            "key": KEY,
            "secret_key": SECRET,
            "specific_attributes": f"endpoint_url={quote(bucket[0], safe='')}&region=us-east-1",
        }
    )
    assert SECRET not in response.data.decode()
    yield made.id
    client.api_client.cloudstorages_api.destroy(made.id)


@pytest.fixture(scope="module")
def cloud_task(client: Client, storage: int):
    task = client.tasks.create_from_data(
        {"name": "photographs of a bucket", "labels": [{"name": "animal"}]},
        ["shots/"],
        resource_type=ResourceType.SHARE,
        data_params={"image_quality": 75, "cloud_storage_id": storage},
    )
    yield task
    client.tasks.remove_by_ids([task.id])


def test_content_is_listed_page_by_page(client: Client, storage: int, photographs: list[Photograph]):
    api = client.api_client.cloudstorages_api
    root, _ = api.retrieve_content_v2(storage)
    assert [(item.name, str(item.type)) for item in root.content] == [("shots", "DIR")]
    names: list[str] = []
    token = None
    while True:
        more = {} if token is None else {"next_token": token}
        page, _ = api.retrieve_content_v2(storage, prefix="shots/", page_size=2, **more)
        names += [item.name for item in page.content]
        token = page.next
        if token is None:
            break
    assert names == sorted(Path(photograph.path).name for photograph in photographs[:3])
    begun, _ = api.retrieve_content_v2(storage, prefix=f"shots/{names[0][:3]}")
    assert [item.name for item in begun.content] == [name for name in names if name.startswith(names[0][:3])]
    on_the_way, _ = api.retrieve_content_v2(storage, prefix="sho")
    assert [(item.name, str(item.type)) for item in on_the_way.content] == [("shots", "DIR")]
    assert api.retrieve_status(storage)[1].data == b'"AVAILABLE"'


def test_a_task_of_a_bucket_is_read(cloud_task, photographs: list[Photograph]):
    assert cloud_task.size == 3
    for number, photograph in enumerate(photographs[:3]):
        assert cloud_task.get_frame(number, quality="original").read() == Path(photograph.path).read_bytes()


def test_annotations_go_to_the_bucket_and_come_back(client: Client, cloud_task, storage: int, bucket):
    label = cloud_task.get_labels()[0].id
    shape = {"type": "rectangle", "label_id": label, "frame": 1, "points": [1.0, 2.0, 30.0, 40.0]}
    cloud_task.set_annotations({"shapes": [shape]})
    place = {"location": "cloud_storage", "cloud_storage_id": storage, "filename": "out/task.zip"}
    api = client.api_client.tasks_api
    asked, _ = api.create_dataset_export(format=FORMAT, id=cloud_task.id, save_images=False, **place)
    request, _ = client.wait_for_completion(asked.rq_id)
    assert not request.result_url
    assert bucket[1].head_object(Bucket=BUCKET, Key="out/task.zip")["ContentLength"] > 0

    cloud_task.remove_annotations()
    _, response = api.create_annotations(id=cloud_task.id, format="CVAT 1.1", **place)
    client.wait_for_completion(json.loads(response.data)["rq_id"])
    (back,) = cloud_task.get_annotations().shapes
    assert (back.frame, list(back.points)) == (1, shape["points"])


def test_backups_go_to_the_bucket_and_come_back(client: Client, cloud_task, storage: int, bucket):
    place = {"location": "cloud_storage", "cloud_storage_id": storage, "filename": "kept/task.zip"}
    api = client.api_client.tasks_api
    asked, _ = api.create_backup_export(id=cloud_task.id, **place)
    request, _ = client.wait_for_completion(asked.rq_id)
    assert not request.result_url
    assert bucket[1].head_object(Bucket=BUCKET, Key="kept/task.zip")["ContentLength"] > 0

    _, response = api.create_backup(**place)
    restored, _ = client.wait_for_completion(json.loads(response.data)["rq_id"])
    again = client.tasks.retrieve(restored.result_id)
    assert (again.name, again.size) == (cloud_task.name, cloud_task.size)
    assert again.get_frame(1, quality="original").read() == cloud_task.get_frame(1, quality="original").read()
    client.tasks.remove_by_ids([again.id])

    _, response = api.create_backup(**{**place, "filename": "none.zip"})
    with pytest.raises(Exception, match="none.zip in the resource photographs not found"):
        client.wait_for_completion(json.loads(response.data)["rq_id"])


def test_a_missing_file_fails_with_a_sentence(client: Client, cloud_task, storage: int):
    place = {"location": "cloud_storage", "cloud_storage_id": storage, "filename": "none.zip"}
    _, response = client.api_client.tasks_api.create_annotations(
        id=cloud_task.id, format="CVAT 1.1", **place
    )
    with pytest.raises(Exception, match="none.zip in the resource photographs not found"):
        client.wait_for_completion(json.loads(response.data)["rq_id"])
