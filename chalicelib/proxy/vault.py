"""Sealing credentials so that a row copied to another person or connection does not open."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, NoReturn, Protocol

from chalicelib.errors import Reason, Refusal

KEY_BYTES: Final = 32
SECRET_BYTES_MAX: Final = 4096
"""What KMS encrypts in one call; the local vault keeps the same bound."""
_NONCE_BYTES: Final = 12
_FORMAT: Final = b"\x01"


class Vault(Protocol):
    def seal(self, secret: Mapping[str, str], *, person_id: str, connection_id: str) -> bytes:
        """Encrypt for this person and connection. Refuses `input_invalid` more than 4,096 bytes of JSON."""

    def open(self, sealed: bytes, *, person_id: str, connection_id: str) -> Mapping[str, str]:
        """The secret. Refuses `credential_missing` what was not sealed for this person and connection."""


class LocalVault:
    """AES-256-GCM under one local key of 32 bytes."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"the vault's key has {KEY_BYTES} bytes")
        self._key = key

    def seal(self, secret: Mapping[str, str], *, person_id: str, connection_id: str) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(_NONCE_BYTES)
        bound_to = _context_bytes(person_id, connection_id)
        return _FORMAT + nonce + AESGCM(self._key).encrypt(nonce, _dumped(secret), bound_to)

    def open(self, sealed: bytes, *, person_id: str, connection_id: str) -> Mapping[str, str]:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce, cipher_text = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        if sealed[:1] != _FORMAT or len(nonce) < _NONCE_BYTES:
            _refuse_to_open()
        try:
            return _loaded(AESGCM(self._key).decrypt(nonce, cipher_text, _context_bytes(person_id, connection_id)))
        except InvalidTag:
            _refuse_to_open()


class KmsClient(Protocol):
    """The part of botocore's KMS client that the vault uses."""

    @property
    def exceptions(self) -> Any: ...

    def encrypt(self, **parameters: Any) -> Mapping[str, Any]: ...

    def decrypt(self, **parameters: Any) -> Mapping[str, Any]: ...


class KmsVault:
    """One AWS KMS key; person and connection travel as the encryption context.

    The client is made at first use: a process that only lists needs none.
    """

    def __init__(self, make_client: Callable[[], KmsClient], key_id: str) -> None:
        self._make_client = make_client
        self._key_id = key_id

    @cached_property
    def _kms(self) -> KmsClient:
        return self._make_client()

    def seal(self, secret: Mapping[str, str], *, person_id: str, connection_id: str) -> bytes:
        context = _context(person_id, connection_id)
        answer = self._kms.encrypt(KeyId=self._key_id, Plaintext=_dumped(secret), EncryptionContext=context)
        return bytes(answer["CiphertextBlob"])

    def open(self, sealed: bytes, *, person_id: str, connection_id: str) -> Mapping[str, str]:
        context = _context(person_id, connection_id)
        unopened = (self._kms.exceptions.InvalidCiphertextException, self._kms.exceptions.IncorrectKeyException)
        try:
            answer = self._kms.decrypt(KeyId=self._key_id, CiphertextBlob=sealed, EncryptionContext=context)
        except unopened:
            _refuse_to_open()
        return _loaded(bytes(answer["Plaintext"]))


def _context(person_id: str, connection_id: str) -> dict[str, str]:
    return {"person": person_id, "connection": connection_id}


def _context_bytes(person_id: str, connection_id: str) -> bytes:
    return json.dumps(_context(person_id, connection_id), sort_keys=True).encode()


def _dumped(secret: Mapping[str, str]) -> bytes:
    dumped = json.dumps(dict(secret)).encode()
    if len(dumped) > SECRET_BYTES_MAX:
        message = f"A credential has at most {SECRET_BYTES_MAX} bytes as JSON; this one has {len(dumped)}."
        raise Refusal(Reason.INPUT_INVALID, message)
    return dumped


def _loaded(dumped: bytes) -> Mapping[str, str]:
    loaded: dict[str, str] = json.loads(dumped)
    return loaded


def _refuse_to_open() -> NoReturn:
    message = "The connection's credential cannot be opened. Ask for it again with request_credential."
    raise Refusal(Reason.CREDENTIAL_MISSING, message) from None
