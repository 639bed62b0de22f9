"""Environment → Settings → Deps. Sole reader of the environment, maker of clients, source of clock and ids."""

from __future__ import annotations

import json
import logging
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from chalicelib.errors import Misconfigured
from chalicelib.services.deps import GATEWAY_SECONDS, Deps, Model, Settings

if TYPE_CHECKING:
    from chalicelib.proxy.gate import Gate
    from chalicelib.proxy.proxy import Proxy
    from chalicelib.proxy.sealed_tokens import TokenRows
    from chalicelib.proxy.vault import Vault

LOCAL_KEY_NAME: Final = "vault.key"
LOCAL_KEY_BYTES: Final = 32
DEFAULT_STAGE: Final = "dev"
TABLE_CONNECTIONS: Final = 256
"""HTTP connections to DynamoDB that are kept: a call reads with three threads, and many run side by side."""
MODEL_SECONDS: Final = 180.0
"""Until a model must have answered."""
WORKER_FUNCTION: Final = "acquire"
USER_AGENT: Final = "graft"
"""botocore builds its own anew for every request, twice."""


def settings_from(environment: Mapping[str, str]) -> Settings:
    """Read the settings. Raises `Misconfigured`."""
    local_hosts = frozenset(host for host in environment.get("GRAFT_LOCAL_HOSTS", "").split(",") if host)
    if _on_aws(environment) and local_hosts:
        raise Misconfigured("GRAFT_LOCAL_HOSTS is for one machine only. Remove it from the function's environment.")
    table_name = environment.get("GRAFT_TABLE", "")
    if not table_name:
        raise Misconfigured("GRAFT_TABLE is not set: it names the DynamoDB table.")
    return Settings(
        table_name=table_name,
        public_base_url=environment.get("GRAFT_PUBLIC_BASE_URL", "").rstrip("/"),
        local_hosts=local_hosts,
        sse_retry_ms=int(environment.get("GRAFT_SSE_RETRY_MS", "30000")),
        sandbox_workers=int(environment.get("GRAFT_SANDBOX_WORKERS", "1")),
        sweep_visitors=int(environment.get("GRAFT_SWEEP_VISITORS", "8")),
    )


def now() -> datetime:
    """Aware UTC, whole milliseconds: what the table can hold."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@lru_cache(maxsize=1)
def deps() -> Deps:
    """The process's dependencies, made at first use."""
    start_logging(os.environ)
    return make_deps(os.environ)


def deps_until(seconds: float, *, address: str = "") -> Deps:
    """The process's dependencies for one invocation that has to answer within so many seconds.

    `address`: where it was reached, which links begin with when no public address is set.
    """
    end = time.monotonic() + seconds
    made = deps()
    settings = made.settings
    if not settings.public_base_url:
        settings = replace(settings, public_base_url=address)
    return replace(made, settings=settings, seconds_left=lambda: end - time.monotonic())


def make_deps(
    environment: Mapping[str, str],
    *,
    clock: Callable[[], datetime] = now,
    seconds_left: Callable[[], float] = lambda: GATEWAY_SECONDS,
) -> Deps:
    from chalicelib.proxy.documents import PublicDocuments
    from chalicelib.sandbox.pool import Sandbox
    from chalicelib.storage.store import Store

    settings = settings_from(environment)
    vault = _vault(environment)
    store = Store(_aws_client("dynamodb", environment), settings.table_name)
    made = Deps(
        settings=settings,
        store=store,
        sandbox=Sandbox(workers=settings.sandbox_workers, monty_bin=_monty_bin(environment)),
        vault=vault,
        connections=_ProxyConnections(settings.local_hosts),
        new_gate=_gate_maker(lambda: _proxy(vault, settings.local_hosts, store.tokens, clock)),
        now=clock,
        random_bytes=secrets.token_bytes,
        pause=time.sleep,
        documents=PublicDocuments(local_hosts=settings.local_hosts),
        start_job=_job_starter(environment, lambda: made),
        model=_model(environment),
        seconds_left=seconds_left,
    )
    return made


def _job_starter(environment: Mapping[str, str], made: Callable[[], Deps]) -> Callable[[str, str, str], None]:
    """Calls the worker's function on AWS; on one machine it is a thread of this process."""

    def in_a_thread(*job: str) -> None:
        from chalicelib.services.writing import work

        Thread(target=work, args=(made(), *job), name=f"job-{job[-1]}", daemon=True).start()

    if not _on_aws(environment):
        return in_a_thread
    function = f"graft-{environment.get('GRAFT_STAGE', DEFAULT_STAGE)}-{WORKER_FUNCTION}"
    client = lru_cache(maxsize=1)(lambda: _aws_client("lambda", environment))

    def by_invoking(person_id: str, agent_id: str, job_id: str) -> None:
        payload = json.dumps({"person": person_id, "agent": agent_id, "job": job_id})
        client().invoke(FunctionName=function, InvocationType="Event", Payload=payload)

    return by_invoking


def _model(environment: Mapping[str, str]) -> Model | None:
    """`GRAFT_MODEL`: `bedrock:<model id>`, or `openai:<model>` at GRAFT_MODEL_URL with GRAFT_MODEL_KEY."""
    service, _, model_id = environment.get("GRAFT_MODEL", "").partition(":")
    url = environment.get("GRAFT_MODEL_URL", "")
    if not service:
        return None
    if service == "bedrock" and model_id:
        from chalicelib.writer.bedrock import Bedrock

        return Bedrock(lambda: _bedrock_client(url), model_id)
    if service == "openai" and model_id and url.startswith(("https://", "http://")):
        from chalicelib.writer.openai import OpenAi

        key = environment.get("GRAFT_MODEL_KEY", "")
        return OpenAi(url, model_id, key, seconds=MODEL_SECONDS, pause=time.sleep)
    raise Misconfigured(
        "GRAFT_MODEL is bedrock:<model id>, or openai:<model> with GRAFT_MODEL_URL, such as https://api.openai.com/v1."
    )


def _bedrock_client(url: str) -> Any:
    """With the account's own credentials, whatever the table's are. `url`: another endpoint; empty: the region's."""
    import botocore.session
    from botocore.config import Config

    config = Config(
        retries={"mode": "standard", "total_max_attempts": 2},
        connect_timeout=5,
        read_timeout=MODEL_SECONDS,
        user_agent=USER_AGENT,
        parameter_validation=False,
    )
    make: Any = botocore.session.Session().create_client
    return make("bedrock-runtime", config=config, endpoint_url=url or None)


def _monty_bin(environment: Mapping[str, str]) -> str | None:
    """Monty's worker: MONTY_BIN, a path, or one below where the libraries are, as in a function's layer."""
    named = environment.get("MONTY_BIN")
    if named is None:
        return None
    return next((str(path) for place in sys.path if (path := Path(place) / named).is_file()), named)


def _gate_maker(make_proxy: Callable[[], Proxy]) -> Callable[..., Gate]:
    """Makes each run's gate. The proxy behind them comes with the first: a process that only lists needs none."""
    proxy = lru_cache(maxsize=1)(make_proxy)

    def new_gate(**of_run: Any) -> Gate:
        from chalicelib.proxy.gate import Gate

        return Gate(proxy(), **of_run)

    return new_gate


def _proxy(vault: Vault, local_hosts: frozenset[str], tokens: TokenRows, clock: Callable[[], datetime]) -> Proxy:
    from chalicelib.proxy.proxy import Proxy

    return Proxy(vault=vault, local_hosts=local_hosts, tokens=tokens, now=clock)


def _on_aws(environment: Mapping[str, str]) -> bool:
    return "AWS_LAMBDA_FUNCTION_NAME" in environment


def start_logging(environment: Mapping[str, str]) -> None:
    """JSON with metrics on AWS, from INFO on; elsewhere plain lines from WARNING on. Raises `Misconfigured`."""
    from chalicelib.logs.setting_up import start_logging as start

    on_aws = _on_aws(environment)
    level = logging.getLevelNamesMapping().get(environment.get("GRAFT_LOG_LEVEL", "INFO" if on_aws else "WARNING"))
    if not level:
        raise Misconfigured("GRAFT_LOG_LEVEL is not a level: it takes DEBUG, INFO, WARNING or ERROR.")
    start(stage=environment.get("GRAFT_STAGE", DEFAULT_STAGE) if on_aws else None, level=level)


@dataclass(frozen=True)
class _ProxyConnections:
    """What the proxy accepts, under this deployment's local hosts."""

    local_hosts: frozenset[str]

    def check(
        self,
        scheme: str,
        scheme_config: Mapping[str, str],
        secret: Mapping[str, str] | None,
        primary_host: str,
        hosts: Sequence[str],
    ) -> list[str]:
        from chalicelib.proxy.connection_check import check_connection

        return check_connection(scheme, scheme_config, secret, primary_host, hosts, self.local_hosts)

    def stored_hosts(self, primary_host: str, hosts: Sequence[str]) -> tuple[str, ...]:
        from chalicelib.proxy.connection_check import stored_hosts

        return stored_hosts(primary_host, hosts)

    def secret_hosts(
        self, scheme: str, scheme_config: Mapping[str, str], primary_host: str, hosts: Sequence[str]
    ) -> tuple[str, ...]:
        from chalicelib.proxy.connection_check import secret_hosts

        return secret_hosts(scheme, scheme_config, primary_host, hosts)

    def foreign_token_host(self, scheme: str, scheme_config: Mapping[str, str], primary_host: str) -> str | None:
        from chalicelib.proxy.token_url import foreign_token_host

        return foreign_token_host(scheme, scheme_config, primary_host)

    def stored_config(
        self, scheme: str, scheme_config: Mapping[str, str], primary_host: str, confirmed_host: str
    ) -> dict[str, str]:
        from chalicelib.proxy.token_url import stored_config

        return stored_config(scheme, scheme_config, primary_host, confirmed_host)

    def asked_config(self, scheme_config: Mapping[str, str]) -> dict[str, str]:
        from chalicelib.proxy.token_url import asked_config

        return asked_config(scheme_config)

    def registrable_domain(self, host: str) -> str | None:
        from chalicelib.proxy.domains import registrable_domain

        return registrable_domain(host)


def _vault(environment: Mapping[str, str]) -> Vault:
    """KMS where a key is named, else a key under GRAFT_HOME."""
    from chalicelib.proxy.vault import KmsVault, LocalVault

    key_id = environment.get("GRAFT_KMS_KEY")
    if key_id:
        return KmsVault(lambda: _aws_client("kms", environment), key_id)
    home = environment.get("GRAFT_HOME")
    if not home or _on_aws(environment):
        raise Misconfigured("GRAFT_KMS_KEY is not set: it names the KMS key that seals credentials.")
    return LocalVault(local_key(Path(home)))


def local_key(home: Path) -> bytes:
    """The key that seals credentials on one machine: made once, readable by its owner only.

    It gets its name when it is whole: who dies before leaves no key, and of two who make one the first is kept.
    """
    from tempfile import mkstemp

    path = home / LOCAL_KEY_NAME
    if not path.exists():
        descriptor, draft = mkstemp(dir=home, prefix=f".{LOCAL_KEY_NAME}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(LOCAL_KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            os.unlink(draft)
    return path.read_bytes()


def _aws_client(service: str, environment: Mapping[str, str]) -> Any:
    """botocore's own client: boto3 makes the same one, later (docs/adr/0009)."""
    import botocore.session
    from botocore.config import Config

    from chalicelib.storage.answers import Answers

    config = Config(
        retries={"mode": "standard", "total_max_attempts": 4},
        connect_timeout=2,
        read_timeout=8,
        max_pool_connections=TABLE_CONNECTIONS,
        user_agent=USER_AGENT,
        parameter_validation=False,
    )
    session = botocore.session.Session()
    session.register_component("response_parser_factory", Answers())
    make: Any = session.create_client
    endpoint = environment.get("GRAFT_AWS_ENDPOINT")
    if endpoint is None:
        return make(service, config=config)
    local = {"region_name": "us-east-1", "aws_access_key_id": "local", "aws_secret_access_key": "local"}
    return make(service, config=config, endpoint_url=endpoint, **local)
