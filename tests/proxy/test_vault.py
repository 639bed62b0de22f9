"""A sealed credential opens for its person and connection, and for nobody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.vault import KmsVault, LocalVault, Vault
from tests.proxy.examples import VAULT

SECRET = {"token": "s3cr3t 日本"}


class InvalidCiphertextException(Exception):
    pass


class IncorrectKeyException(Exception):
    pass


class KmsInMemory:
    """Of KMS: the key, the encryption context, and the error for a wrong one."""

    class exceptions:  # noqa: N801  # boto3's spelling
        InvalidCiphertextException = InvalidCiphertextException
        IncorrectKeyException = IncorrectKeyException

    def __init__(self) -> None:
        self.kept: dict[bytes, tuple[Any, ...]] = {}

    def encrypt(self, **asked: Any) -> Mapping[str, Any]:
        blob = b"blob-%d" % len(self.kept)
        self.kept[blob] = (asked["KeyId"], asked["EncryptionContext"], asked["Plaintext"])
        return {"CiphertextBlob": blob}

    def decrypt(self, **asked: Any) -> Mapping[str, Any]:
        key, context, plain = self.kept.get(asked["CiphertextBlob"], (None, None, b""))
        if context != asked["EncryptionContext"]:
            raise InvalidCiphertextException
        if key != asked["KeyId"]:
            raise IncorrectKeyException
        return {"Plaintext": plain}


@pytest.fixture(params=["local", "kms"])
def vault(request: pytest.FixtureRequest) -> Vault:
    return VAULT if request.param == "local" else KmsVault(KmsInMemory, "key-1")


def test_what_was_sealed_opens(vault: Vault) -> None:
    sealed = vault.seal(SECRET, person_id="p", connection_id="c")
    assert vault.open(sealed, person_id="p", connection_id="c") == SECRET
    assert b"s3cr3t" not in sealed


@pytest.mark.parametrize(("person_id", "connection_id"), [("p2", "c"), ("p", "c2"), ("pc", ""), ("", "pc")])
def test_a_row_copied_elsewhere_does_not_open(vault: Vault, person_id: str, connection_id: str) -> None:
    sealed = vault.seal(SECRET, person_id="p", connection_id="c")
    with pytest.raises(Refusal) as refused:
        vault.open(sealed, person_id=person_id, connection_id=connection_id)
    assert refused.value.reason is Reason.CREDENTIAL_MISSING


@pytest.mark.parametrize("sealed", [b"", b"\x01", b"\x01" + bytes(12), b"\x02" + bytes(60), bytes(60)])
def test_bytes_that_were_never_sealed_do_not_open(vault: Vault, sealed: bytes) -> None:
    with pytest.raises(Refusal, match="request_credential"):
        vault.open(sealed, person_id="p", connection_id="c")


def test_a_credential_too_long_for_kms_is_refused(vault: Vault) -> None:
    vault.seal({"token": "x" * 4000}, person_id="p", connection_id="c")
    with pytest.raises(Refusal) as refused:
        vault.seal({"token": "x" * 4096}, person_id="p", connection_id="c")
    assert refused.value.reason is Reason.INPUT_INVALID


def test_another_key_does_not_open() -> None:
    sealed = VAULT.seal(SECRET, person_id="p", connection_id="c")
    with pytest.raises(Refusal):
        LocalVault(bytes(32)).open(sealed, person_id="p", connection_id="c")
    kms = KmsInMemory()
    by_first = KmsVault(lambda: kms, "key-1").seal(SECRET, person_id="p", connection_id="c")
    with pytest.raises(Refusal):
        KmsVault(lambda: kms, "key-2").open(by_first, person_id="p", connection_id="c")


def test_the_same_secret_never_seals_to_the_same_bytes() -> None:
    assert VAULT.seal(SECRET, person_id="p", connection_id="c") != VAULT.seal(SECRET, person_id="p", connection_id="c")


def test_a_key_of_another_length_is_a_mistake_of_set_up() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        LocalVault(b"short")


@given(st.dictionaries(st.text(max_size=10), st.text(max_size=50), max_size=3), st.integers(0, 60), st.integers(1, 255))
def test_a_changed_byte_anywhere_does_not_open(secret: dict[str, str], place: int, change: int) -> None:
    sealed = bytearray(VAULT.seal(secret, person_id="p", connection_id="c"))
    sealed[place % len(sealed)] ^= change
    with pytest.raises(Refusal):
        VAULT.open(bytes(sealed), person_id="p", connection_id="c")
