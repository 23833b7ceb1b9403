"""Connecting to the server and logging in with the SDK."""

import logging
import secrets
from collections.abc import Iterator

import pytest
import urllib3
from cvat_sdk import Client, Config, make_client
from cvat_sdk.api_client import exceptions

ACCEPT = {"Accept": "application/vnd.cvat+json"}


def test_sdk_finds_a_supported_version(base_url: str, config: Config, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), Client(base_url, config=config) as client:
        assert client.get_server_version().release >= (2, 80)
    assert caplog.messages == []


def test_log_in_and_out(base_url: str, config: Config, credentials: tuple[str, str]) -> None:
    with Client(base_url, config=config) as client:
        client.login(credentials)
        assert client.has_credentials()
        assert client.users.retrieve_current_user().username == credentials[0]

        client.logout()
        with pytest.raises(exceptions.UnauthorizedException):
            client.users.retrieve_current_user()


def test_make_client_logs_in(base_url: str, credentials: tuple[str, str]) -> None:
    with make_client(base_url, credentials=credentials) as client:
        assert client.users.retrieve_current_user().is_superuser


def test_wrong_password_is_refused(base_url: str, config: Config, credentials: tuple[str, str]) -> None:
    with Client(base_url, config=config) as client:
        with pytest.raises(exceptions.ApiException) as refusal:
            client.login((credentials[0], "not the password"))
    assert refusal.value.status == 400
    assert "Unable to log in with provided credentials." in str(refusal.value)


def test_nothing_without_logging_in(base_url: str, config: Config) -> None:
    with Client(base_url, config=config) as client:
        with pytest.raises(exceptions.UnauthorizedException):
            client.tasks.list()


def test_access_token(base_url: str, token: str, credentials: tuple[str, str]) -> None:
    with make_client(base_url, access_token=token) as client:
        assert client.users.retrieve_current_user().username == credentials[0]
        own, _ = client.api_client.auth_api.retrieve_access_tokens_self()
        assert own.name == "client tests"

    with make_client(base_url, access_token="no such token") as client:
        with pytest.raises(exceptions.UnauthorizedException):
            client.users.retrieve_current_user()


def test_read_only_access_token_cannot_write(client: Client, base_url: str) -> None:
    auth = client.api_client.auth_api
    created, _ = auth.create_access_tokens({"name": "reader", "read_only": True})
    try:
        with make_client(base_url, access_token=created.value) as reader:
            assert reader.users.retrieve_current_user().id == created.owner.id
            with pytest.raises(exceptions.ForbiddenException):
                reader.projects.create({"name": "not allowed"})
    finally:
        auth.destroy_access_tokens(created.id)

    with make_client(base_url, access_token=created.value) as reader:
        with pytest.raises(exceptions.UnauthorizedException):
            reader.users.retrieve_current_user()


def test_authorization_headers(http: urllib3.PoolManager, base_url: str, credentials: tuple[str, str]) -> None:
    username, password = credentials
    login = http.request(
        "POST", f"{base_url}/api/auth/login", json={"username": username, "password": password}, headers=ACCEPT
    )
    assert login.status == 200
    by_token = {"Authorization": f"Token {login.json()['key']}"}
    by_password = urllib3.make_headers(basic_auth=f"{username}:{password}")

    for header in (by_token, by_password):
        answer = http.request("GET", f"{base_url}/api/users/self", headers={**ACCEPT, **header})
        assert answer.status == 200
        assert answer.json()["username"] == username

    wrong = urllib3.make_headers(basic_auth=f"{username}:wrong")
    assert http.request("GET", f"{base_url}/api/users/self", headers={**ACCEPT, **wrong}).status == 401


@pytest.fixture
def newcomer(client: Client, base_url: str, config: Config) -> Iterator[tuple[str, str]]:
    """Name and password of a newly registered user."""
    name = f"newcomer-{secrets.token_hex(4)}"
    password = secrets.token_urlsafe(16)
    with Client(base_url, config=config) as stranger:
        stranger.api_client.auth_api.create_register(
            {"username": name, "email": f"{name}@example.com", "password1": password, "password2": password}
        )
    (user,) = client.users.list(username=name)
    yield name, password
    user.remove()


def test_registered_user_sees_only_what_is_theirs(
    newcomer: tuple[str, str], base_url: str, config: Config, project
) -> None:
    with Client(base_url, config=config) as visitor:
        visitor.login(newcomer)
        assert visitor.users.retrieve_current_user().groups == ["user"]
        assert visitor.projects.list() == []
        with pytest.raises(exceptions.ForbiddenException):
            visitor.projects.retrieve(project.id)

        own = visitor.projects.create({"name": "mine", "labels": [{"name": "cat"}]})
        assert [p.id for p in visitor.projects.list()] == [own.id]
        own.remove()


def test_password_change(newcomer: tuple[str, str], base_url: str, config: Config) -> None:
    name, old = newcomer
    new = secrets.token_urlsafe(16)
    with Client(base_url, config=config) as changer:
        changer.login((name, old))
        changer.api_client.auth_api.create_password_change(
            {"old_password": old, "new_password1": new, "new_password2": new}
        )
        changer.logout()
        with pytest.raises(exceptions.ApiException):
            changer.login((name, old))
        changer.login((name, new))
        assert changer.users.retrieve_current_user().username == name


def test_users(client: Client, credentials: tuple[str, str]) -> None:
    me = client.users.retrieve_current_user()
    assert me.username == credentials[0]
    assert "admin" in me.groups
    assert me.id in [user.id for user in client.users.list()]

    user = client.users.retrieve(me.id)
    user.update({"first_name": "Ada"})
    assert client.users.retrieve(me.id).first_name == "Ada"
    user.update({"first_name": me.first_name})


def test_formats_can_be_read(client: Client) -> None:
    formats, _ = client.api_client.server_api.retrieve_annotation_formats()
    assert isinstance(formats.importers, list)
    assert isinstance(formats.exporters, list)
