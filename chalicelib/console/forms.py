"""What comes with a form, parsed at the door: bounded fields, then one Pydantic model for each form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs

from pydantic import BaseModel, ConfigDict, ValidationError

from .http import PageRequest

BODY_BYTES_MAX: Final = 64 * 1024
FIELDS_MAX: Final = 200
FORM: Final = "application/x-www-form-urlencoded"

Fields = Mapping[str, Sequence[str]]
F = TypeVar("F", bound="Form")


class Unreadable(Exception):
    """The body is not a form of ours: another type, too long, too many fields, or no UTF-8."""


class FormFault(Exception):
    """What was typed cannot be taken; `faults` says so by field, as sentences."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("a form was not filled in as it has to be")
        self.faults = dict(faults)


class Form(BaseModel):
    """Fields of a form. A field that is not there counts as empty; what is unknown is left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def read_fields(request: PageRequest) -> Fields:
    """Every field with its values in order. Raises `Unreadable`."""
    content_type = request.header("content-type").partition(";")[0].strip().lower()
    if content_type != FORM or len(request.body) > BODY_BYTES_MAX:
        raise Unreadable
    try:
        text = request.body.decode("ascii")
        return parse_qs(text, keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=FIELDS_MAX)
    except ValueError:
        raise Unreadable from None


def first(fields: Fields, name: str) -> str:
    values = fields.get(name)
    return values[0] if values else ""


def parse(form: type[F], fields: Fields, words: Mapping[str, str]) -> F:
    """The form's values. Raises `FormFault`; `words` says what each field takes, for the person who typed."""
    found: dict[str, Any] = {}
    for name, field in form.model_fields.items():
        values = fields.get(name)
        if values is not None:
            found[name] = list(values) if field.annotation in (list[str], tuple[str, ...]) else values[0]
    try:
        return form.model_validate(found)
    except ValidationError as error:
        wrong = [str(fault["loc"][0]) for fault in error.errors(include_input=False) if fault["loc"]]
        raise FormFault({name: words.get(name, "This cannot be taken.") for name in wrong}) from None
