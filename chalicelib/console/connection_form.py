"""The form of a connection: what was typed, what is wrong with it, and what it asks for. Secrets never come back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from chalicelib.errors import Refusal
from chalicelib.model import ConnectionQuestion
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import ConnectionRules

from .forms import Fields, Form, first, parse
from .scheme_words import BY_NAME, SCHEMES, FieldWords, SchemeWords

SchemeName = Literal["none", "bearer", "api_key_header", "api_key_query", "basic", "oauth2_client_credentials"]
_OF_FIELD: Final = re.compile(r"(schemeConfig|secret)\.(\w+):? (.*)", re.DOTALL)
_SEPARATORS: Final = re.compile(r"[\s,;]+")
HOSTS: Final = "hosts"
PRIMARY: Final = "primary_host"


class ConnectionFields(Form):
    vendor: str = ""
    display_name: str = ""
    primary_host: str = ""
    hosts: str = ""
    scheme: SchemeName = "bearer"
    confirmed_host: str = ""


@dataclass(frozen=True, slots=True)
class ConnectionForm:
    """What a template shows. Values and faults of a scheme's fields are under `<scheme>.<field>`."""

    schemes: tuple[SchemeWords, ...] = SCHEMES
    vendor: str = ""
    display_name: str = ""
    primary_host: str = ""
    hosts: str = ""
    scheme: str = "bearer"
    config: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """What is wrong beside a single field."""
    confirm_host: str = ""
    """A foreign token host that the person has to confirm; empty: none."""

    @property
    def is_faulty_beside_secrets(self) -> bool:
        """Whether a host or a parameter of the scheme is wrong."""
        words = BY_NAME.get(self.scheme)
        open_fields = {f"{self.scheme}.{word.name}" for word in words.config} if words else set()
        return bool(self.faults.keys() & {PRIMARY, HOSTS, *open_fields})


def asked(question: ConnectionQuestion, rules: ConnectionRules) -> ConnectionForm:
    """As the agent asked for it."""
    foreign = rules.foreign_token_host(question.scheme, question.scheme_config, question.primary_host)
    return ConnectionForm(
        vendor=question.vendor,
        display_name=question.display_name or question.vendor,
        primary_host=question.primary_host,
        hosts=" ".join(host for host in question.hosts if host != question.primary_host),
        scheme=question.scheme,
        config={f"{question.scheme}.{name}": value for name, value in question.scheme_config.items()},
        confirm_host=foreign or "",
    )


def read(fields: Fields, *, vendor: str | None = None) -> tuple[NewConnection, ConnectionForm]:
    """What was typed, for the services and for the page. `vendor`: the ask's, which the form does not change.

    Raises `FormFault` for a scheme that is none.
    """
    typed = parse(ConnectionFields, fields, {})
    config = values_of(fields, typed.scheme, BY_NAME[typed.scheme].config)
    wanted = NewConnection(
        vendor=typed.vendor.strip() if vendor is None else vendor,
        primary_host=typed.primary_host.strip(),
        scheme=typed.scheme,
        scheme_config=config,
        hosts=[host for host in _SEPARATORS.split(typed.hosts) if host],
        display_name=typed.display_name.strip()[:100],
        secret=read_secret(fields, typed.scheme),
        confirmed_token_host=typed.confirmed_host,
    )
    shown = ConnectionForm(
        vendor=wanted.vendor,
        display_name=typed.display_name,
        primary_host=typed.primary_host,
        hosts=typed.hosts,
        scheme=typed.scheme,
        config={f"{typed.scheme}.{name}": value for name, value in config.items()},
    )
    return wanted, shown


def read_secret(fields: Fields, scheme: str) -> dict[str, str]:
    return values_of(fields, scheme, BY_NAME[scheme].secret)


def values_of(fields: Fields, scheme: str, words: tuple[FieldWords, ...]) -> dict[str, str]:
    """The fields that were filled in."""
    return {word.name: value for word in words if (value := first(fields, f"{scheme}.{word.name}"))}


def with_faults(
    shown: ConnectionForm, wanted: NewConnection, refusal: Refusal, rules: ConnectionRules
) -> ConnectionForm:
    """The form as it was typed, with each problem at its field."""
    foreign = refusal.details.get("tokenHost")
    if foreign is not None:
        return replace(shown, confirm_host=str(foreign))
    faults, others = field_faults(wanted.scheme, _told(refusal))
    for name, texts in ((PRIMARY, (wanted.primary_host,)), (HOSTS, tuple(wanted.hosts))):
        of_hosts = rules.check("none", {}, None, texts[0], texts[1:]) if texts else []
        if of_hosts:
            faults[name] = " ".join(of_hosts)
            others = [problem for problem in others if problem not in of_hosts]
    return replace(shown, faults=faults, problems=tuple(others))


def secret_faults(scheme: str, refusal: Refusal) -> tuple[dict[str, str], tuple[str, ...]]:
    """What is wrong with a secret that was typed: (by field, the others)."""
    faults, others = field_faults(scheme, _told(refusal))
    return faults, tuple(others)


def _told(refusal: Refusal) -> list[str]:
    return [str(problem) for problem in refusal.details.get("problems", [refusal.message])]


def field_faults(scheme: str, problems: list[str]) -> tuple[dict[str, str], list[str]]:
    """(by field, the others). A sentence that begins with its field goes to it, and speaks of `this`."""
    faults: dict[str, str] = {}
    others = []
    for problem in problems:
        match = _OF_FIELD.fullmatch(problem)
        if match:
            faults[f"{scheme}.{match[2]}"] = f"This {match[3]}" if match[3][:1].islower() else match[3]
        else:
            others.append(problem)
    return faults, others
