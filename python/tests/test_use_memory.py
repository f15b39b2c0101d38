# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What use_memory hands to calls on a GPU, with what stands for their libraries."""
import pytest

import libpeneira as pn
from libpeneira import _memory


class Resource:
    """As RMM's."""

    def __init__(self):
        self.held = {}

    def allocate(self, size, stream):
        address = 4096 * (len(self.held) + 1)
        self.held[address] = size, stream
        return address

    def deallocate(self, address, size, stream):
        assert self.held.pop(address) == (size, stream)


@pytest.fixture(autouse=True)
def rmm(monkeypatch):
    """Its module of streams."""
    import sys
    from types import ModuleType

    stream = ModuleType("rmm.pylibrmm.stream")
    stream.Stream = lambda given: given.__cuda_stream__()[1]
    for name, module in (("rmm", ModuleType("rmm")), ("rmm.pylibrmm", ModuleType("rmm.pylibrmm")), (stream.__name__, stream)):
        monkeypatch.setitem(sys.modules, name, module)
    yield
    pn.use_memory(None)


def test_it_is_the_library_that_is_asked_at_first():
    assert _memory.allocator(0, 0) is None


def test_a_resource():
    resource = Resource()
    with pn.use_memory(resource):
        address, owner = _memory.allocator(0, 7)(1000)
        assert resource.held == {address: (1000, 7)}
        del owner
        assert resource.held == {}
    assert _memory.allocator(0, 0) is None


def test_a_function():
    pn.use_memory(lambda size, device, stream: (256 * size, (device, stream)))
    with pn.use_memory(lambda *given: (512, given)):
        assert _memory.allocator(1, 2)(3) == (512, (3, 1, 2))
    assert _memory.allocator(1, 2)(3) == (768, (1, 2))


@pytest.mark.parametrize("wrong", [None, 256, (256,), ("256", None), (255, None)])
def test_a_function_that_returns_no_block(wrong):
    pn.use_memory(lambda *given: wrong)
    with pytest.raises(ValueError, match="use_memory: source returned .*, but must return an address"):
        _memory.allocator(0, 0)(100)
