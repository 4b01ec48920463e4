"""Words of Philox's key and counter, and those of streams that were jumped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from devarray import _core
from devarray.array import Array
from devarray.codegen.prelude.random import philox_jumped
from devarray.errors import DTypeError, ValueError
from devarray.ops import user

__all__ = [
    "END",
    "key_words",
    "numpys_state",
    "position_of",
    "read_state",
    "sequence_of",
    "upper_half",
    "word_of_jumped",
]

END = 1 << 64
_NESTED = 32
_WORD = np.dtype(np.uint64)


def _entropy(seed: object, depth: int = 0) -> Any:
    """`seed`, if NumPy can take it: it follows sequences that lie in one another until the stack ends."""
    if isinstance(seed, Array):
        return seed.copy_to_host() if seed.ndim else seed.item()
    if isinstance(seed, Sequence) and not isinstance(seed, str) and depth < _NESTED:
        return [_entropy(item, depth + 1) for item in seed]
    if not (seed is None or isinstance(seed, int | np.integer | str | np.ndarray)):
        raise DTypeError(f"a seed is an int or a sequence of ints, not {type(seed).__name__}")
    return seed


def sequence_of(seed: object) -> np.random.SeedSequence:
    """NumPy's sequence of a seed."""
    return seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(_entropy(seed))


def key_words(value: Any, count: int, name: str) -> list[int]:
    """An integer, or words of 64 bits with the lowest first, as `count` words."""
    if isinstance(value, int | np.integer):
        number = int(value)
    else:
        given: Sequence[Any] = list(value)
        if len(given) != count:
            raise ValueError(f"{name}: {count} words of 64 bits are wanted, {len(given)} were given")
        number = sum(int(word) << 64 * place for place, word in enumerate(given))
        if any(not 0 <= int(word) < END for word in given):
            number = -1
    if not 0 <= number < 1 << 64 * count:
        raise ValueError(f"{name}: {value!r} does not fit into {count} words of 64 bits")
    return [number >> 64 * place & END - 1 for place in range(count)]


def position_of(counter: object) -> tuple[int, int]:
    """Number of the first word behind a counter's lower half, and its upper half, which counts jumps."""
    words = [0, 0, 0, 0] if counter is None else key_words(counter, 4, "counter")
    if words[1] or 4 * words[0] >= END:
        raise ValueError(
            f"counter: the lower half of {counter!r} is not below 2**62, as far as devarray's Philox counts"
        )
    return 4 * words[0], words[2] | words[3] << 64


def _block(key: Sequence[int], jumps: int, number: int) -> np.ndarray:
    """Words 4 * number to 4 * number + 3, from NumPy."""
    numbers = {"key": sum(word << 64 * i for i, word in enumerate(key)), "counter": jumps << 128 | number}
    return np.random.Philox(**numbers).random_raw(4)


def upper_half(key: Sequence[int], jumps: int, number: int) -> int:
    """The upper half of a word of the stream."""
    return int(_block(key, jumps, number // 4)[number % 4]) >> 32


def numpys_state(key: Sequence[int], jumps: int, at: int, half: int | None) -> dict[str, Any]:
    """The state of NumPy's Philox behind so many words of a stream, of which the upper half of one may be kept."""
    block = -(-at // 4)
    return {
        "bit_generator": "Philox",
        "state": {
            "counter": np.array([block, 0, *key_words(jumps, 2, "jumps")], _WORD),
            "key": np.array(key, _WORD),
        },
        "buffer": _block(key, jumps, block - 1) if block else np.zeros(4, _WORD),
        "buffer_pos": at - 4 * (block - 1),
        "has_uint32": int(half is not None),
        "uinteger": half or 0,
    }


def read_state(numpys: dict[str, Any]) -> tuple[list[int], int, int, int | None]:
    """Key, jumps, words taken and half a word of such a state."""
    key = key_words(numpys["state"]["key"], 2, "key")
    at, jumps = position_of(numpys["state"]["counter"])
    at += int(numpys["buffer_pos"]) - 4
    return key, jumps, max(at, 0), int(numpys["uinteger"]) if numpys["has_uint32"] else None


def word_of_jumped(numbers: Array, key: Sequence[int], jumps: int) -> Array:
    """The words of some numbers in a stream that was jumped: an operation for each number of jumps."""
    operation = user.register(("philox", jumps), ("uint64",) * 3, "uint64", False, partial(_function, jumps))
    if operation is None:
        raise ValueError(f"jumped: the program made {user.LIMIT} operations of its own, which are the most")
    made: Array = _core.apply(operation, numbers, *map(np.uint64, key))
    return made


def _function(jumps: int, dialect: object) -> tuple[str, str]:
    name = f"philox_jumped_{jumps:x}"
    return name, philox_jumped(name, jumps)
