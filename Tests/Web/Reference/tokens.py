"""Prints tokens made by PyJWT, and whether PyJWT accepts each, as lines of JSON.

Each line has the file of keys, the token, the time, and the person to whom PyJWT gives it; null if it refuses the token.
"""

import json
import os
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

RULES = {
    "audience": "darkroom",
    "issuer": "https://accounts.example/é",
    "leeway": 30,
    "options": {"require": ["exp", "sub", "aud", "iss"], "verify_iat": False},
}


def claims(now):
    """Each set of claims that is tried, most of them one change away from a good one."""
    good = {
        "sub": "ada|é😀",
        "aud": "darkroom",
        "iss": RULES["issuer"],
        "exp": now + 600,
        "name": "Ada \"Countess\" Łovelace\\",
    }
    yield good
    changes = {
        "exp": [now + 100.5, now - 25, now - 40, now - 1e6, 0, -5, None],
        "nbf": [now, now + 25, now + 40, now - 1000.25],
        "aud": [["darkroom"], ["other", "darkroom"], ["other"], [], "Darkroom", "", None],
        "iss": ["https://accounts.example/e\u0301", "", None],
        "sub": ["b", None],
        "nested": [{"a": [1, {"b": None}], "c": 1e-7}],
    }
    for name, values in changes.items():
        for value in values:
            changed = {**good, name: value}
            if value is None:
                del changed[name]
            yield changed


def main():
    now = int(time.time())
    secret = os.urandom(48)
    private = {
        "EdDSA": ed25519.Ed25519PrivateKey.generate(),
        "ES256": ec.generate_private_key(ec.SECP256R1()),
        "RS256": rsa.generate_private_key(65537, 3072),
        "HS256": secret,
    }
    for name, key in private.items():
        algorithm = jwt.get_algorithm_by_name(name)
        public = key if name == "HS256" else key.public_key()
        jwk = json.loads(algorithm.to_jwk(public))
        jwk.update({"kid": "key-1", "alg": name, "use": "sig"})
        jwk.pop("key_ops", None)
        files = [json.dumps({"keys": [jwk]})]
        if name != "HS256":
            pem = public.public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
            files.append(pem.decode())
        for payload in claims(now):
            token = jwt.encode(payload, key, algorithm=name, headers={"kid": "key-1"})
            try:
                person = jwt.decode(token, public, algorithms=[name], **RULES)["sub"]
            except jwt.InvalidTokenError:
                person = None
            for file in files:
                print(json.dumps({"file": file, "token": token, "now": now, "person": person}))


main()
