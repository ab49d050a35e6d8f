import pytest

pytest.register_assert_rewrite("installation", "world")

from installation import ALL, LONG, PROGRAM, SERVER, Installation, Server, _drop, _make, numbers

pytest_plugins = ["installation", "world"]
__all__ = ["ALL", "LONG", "PROGRAM", "SERVER", "Installation", "Server", "_drop", "_make", "numbers"]
