from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path
from threading import Barrier

import pytest

from chalicelib import wiring
from chalicelib.errors import Misconfigured
from chalicelib.services.deps import ConnectionRules, Deps

ON_AWS = {"AWS_LAMBDA_FUNCTION_NAME": "graft-dev", "GRAFT_TABLE": "graft"}


def test_settings_are_read_from_the_environment() -> None:
    settings = wiring.settings_from(
        {
            "GRAFT_TABLE": "t",
            "GRAFT_PUBLIC_BASE_URL": "https://g.example/",
            "GRAFT_LOCAL_HOSTS": "127.0.0.1:1,,127.0.0.1:2",
        }
    )
    assert settings.public_base_url == "https://g.example"
    assert settings.local_hosts == {"127.0.0.1:1", "127.0.0.1:2"}


@pytest.mark.parametrize(
    ("environment", "named"),
    [({}, "GRAFT_TABLE"), (ON_AWS | {"GRAFT_LOCAL_HOSTS": "127.0.0.1:1"}, "GRAFT_LOCAL_HOSTS")],
)
def test_what_is_missing_or_not_allowed_is_named(environment: dict[str, str], named: str) -> None:
    with pytest.raises(Misconfigured, match=named):
        wiring.settings_from(environment)


def test_on_aws_there_is_no_local_key(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="GRAFT_KMS_KEY"):
        wiring.make_deps(ON_AWS | {"GRAFT_HOME": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


def test_the_local_key_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    key = wiring.local_key(tmp_path)
    assert len(key) == 32
    assert wiring.local_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / wiring.LOCAL_KEY_NAME).stat().st_mode) == 0o600


def test_the_clock_is_utc_and_holds_what_the_table_holds() -> None:
    moment = wiring.now()
    assert moment.tzinfo is UTC
    assert moment.microsecond % 1000 == 0


def test_an_invocation_counts_its_own_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deps = wiring.make_deps(
        {"GRAFT_TABLE": "t", "GRAFT_HOME": str(tmp_path), "GRAFT_AWS_ENDPOINT": "http://127.0.0.1:9"}
    )

    def these() -> Deps:
        return deps

    monkeypatch.setattr(wiring, "deps", these)
    assert 4 < wiring.deps_until(5).seconds_left() <= 5
    assert wiring.deps_until(-1).seconds_left() < 0
    assert wiring.deps_until(5).caches is deps.caches
    deps.store.table.client.close()


def test_a_level_that_is_none_is_refused_before_anything_is_logged() -> None:
    with pytest.raises(Misconfigured, match="GRAFT_LOG_LEVEL"):
        wiring.start_logging({"GRAFT_LOG_LEVEL": "loud"})


def test_links_begin_where_the_caller_came_in_unless_a_public_address_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {"GRAFT_TABLE": "t", "GRAFT_HOME": str(tmp_path), "GRAFT_AWS_ENDPOINT": "http://127.0.0.1:9"}
    for public, wanted in (("", "https://x.example/api"), ("https://graft.example", "https://graft.example")):
        made = wiring.make_deps(here | {"GRAFT_PUBLIC_BASE_URL": public})
        monkeypatch.setattr(wiring, "deps", lambda made=made: made)
        assert wiring.deps_until(5, address="https://x.example/api").settings.public_base_url == wanted
        made.store.table.client.close()


def test_the_sandboxs_worker_is_found_where_the_libraries_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "monty").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert wiring._monty_bin({"MONTY_BIN": "bin/monty"}) == str(tmp_path / "bin" / "monty")
    assert wiring._monty_bin({"MONTY_BIN": "/opt/monty"}) == "/opt/monty"
    assert wiring._monty_bin({}) is None


def test_what_the_proxy_accepts_as_a_connection_is_asked_through_the_deps() -> None:
    rules: ConnectionRules = wiring._ProxyConnections(frozenset())
    scheme, config = "oauth2_client_credentials", {"tokenUrl": "https://login.identity.example/"}
    api = "api.vendor.example"
    assert rules.check(scheme, config, None, api, []) == []
    assert rules.secret_hosts(scheme, config, api, []) == ("login.identity.example", api)
    assert rules.foreign_token_host(scheme, config, api) == "login.identity.example"
    stored = rules.stored_config(scheme, config, api, "login.identity.example")
    assert rules.asked_config(stored) == config
    assert rules.registrable_domain(api) == "vendor.example"


def test_of_processes_that_make_the_key_at_once_all_have_the_same(tmp_path: Path) -> None:
    ready = Barrier(8)

    def make() -> bytes:
        ready.wait(10)
        return wiring.local_key(tmp_path)

    with ThreadPoolExecutor(8) as pool:
        keys = {future.result() for future in [pool.submit(make) for _ in range(8)]}
    assert [len(key) for key in keys] == [wiring.LOCAL_KEY_BYTES]
    assert [(path.name, path.stat().st_mode & 0o777) for path in tmp_path.iterdir()] == [("vault.key", 0o600)]


def test_a_process_that_dies_while_it_makes_the_key_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as dying:
        dying.setattr(os, "fsync", _dies)
        with pytest.raises(SystemExit):
            wiring.local_key(tmp_path)
    assert not (tmp_path / wiring.LOCAL_KEY_NAME).exists()
    assert len(wiring.local_key(tmp_path)) == wiring.LOCAL_KEY_BYTES


def _dies(_: int) -> None:
    raise SystemExit(9)
