"""The source of random numbers, Philox: a key, and a counter that the host advances."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._runtime.devices import resolve_place
from devarray.array import OP, Array
from devarray.errors import ValueError
from devarray.random import counters
from devarray.random.in_memory import LONG, words_in_memory

if TYPE_CHECKING:
    from devarray._core import Device, Queue
    from devarray._typing import ShapeLike

__all__ = ["Philox"]

_WORD = np.dtype(np.uint64)
MOST_CHILDREN = 1 << 20  # generators that one spawn makes: all are made at once, as NumPy does


class Philox:
    """The counter-based generator Philox4x64-10, as ``numpy.random.Philox`` defines it.

    Word number n of the stream is a function of the key and n. So a draw is element-wise work over element numbers: it
    needs no memory on the device, gives the same numbers on every device, and fuses with what follows. The host only
    counts how many words were taken; draws of several threads never overlap.

    Parameters
    ----------
    seed : None, int, sequence of int or numpy.random.SeedSequence
        What the key is made from, as NumPy makes it; None takes a seed from the system.
    counter : int or sequence of 4 int, optional
        Where the stream begins, as for NumPy. Below 2**62, but for jumps of 2**128, which the two upper words count.
    key : int or sequence of 2 int, optional
        In place of a seed.

    Raises
    ------
    ValueError
        If both a seed and a key are given, or numbers are out of range.

    Examples
    --------
    >>> import numpy as np, devarray as da
    >>> bits = da.random.Philox(7)
    >>> bits.random_raw(3).copy_to_host() == np.random.Philox(7).random_raw(3)
    array([ True,  True,  True])
    """

    _sequence: np.random.SeedSequence | None
    _half: int | None
    _jumps = 0
    ahead: dict[Any, Any]

    def __init__(self, seed: object = None, counter: object = None, key: object = None) -> None:
        if seed is not None and key is not None:
            raise ValueError("Philox takes a seed or a key, both were given")
        self.lock = threading.Lock()
        self.restart(seed)
        if key is not None:
            self._sequence, self._key = None, counters.key_words(key, 2, "key")
        self._at, self._jumps = counters.position_of(counter)

    def restart(self, seed: object = None) -> None:
        """Begin the stream of a seed, as a new Philox does.

        Parameters
        ----------
        seed : None, int, sequence of int or numpy.random.SeedSequence
            As of :class:`Philox`.

        Examples
        --------
        >>> import devarray as da
        >>> bits = da.random.Philox(7)
        >>> first = bits.random_raw(2)
        >>> bits.restart(7)
        >>> (first == bits.random_raw(2)).tolist()
        [True, True]
        """
        sequence = counters.sequence_of(seed)
        key = counters.key_words(sequence.generate_state(2, np.uint64), 2, "key")
        with self.lock:
            self._sequence = sequence
            self._key, self._at, self._jumps = key, 0, 0
            self._half = None  # the upper half of a word of which a draw of 32-bit numbers took the lower
            self.ahead = {}  # numbers that draws made of later words (ahead.py): another dict for another stream

    @property
    def seed_seq(self) -> np.random.SeedSequence | None:
        """What the key came from; None after ``key=`` or a set state."""
        return self._sequence

    _seed_seq = seed_seq  # where Dask looks for it, as NumPy's bit generators have it

    @property
    def key(self) -> tuple[int, int]:
        """The two words of the key."""
        return self._key[0], self._key[1]

    def spawn(self, n_children: int) -> list[Philox]:
        """Independent generators: those that NumPy's spawn gives.

        Parameters
        ----------
        n_children : int
            Their number.

        Returns
        -------
        list of Philox
            New generators.

        Raises
        ------
        TypeError
            If the generator has a key but no seed.
        ValueError
            For more than 2**20 children.

        Examples
        --------
        >>> import devarray as da
        >>> [child.random_raw().ndim for child in da.random.Philox(7).spawn(2)]
        [0, 0]
        """
        if self._sequence is None:
            raise TypeError("spawn needs a Philox that was made from a seed; this one was made from a key")
        if operator.index(n_children) > MOST_CHILDREN:
            raise ValueError(f"spawn: {n_children} generators are asked for; {MOST_CHILDREN} are the most in one call")
        return [Philox(child) for child in self._sequence.spawn(n_children)]

    def advance(self, delta: int) -> Philox:
        """Skip blocks of four words, as NumPy does; what is left of the current block is dropped.

        Parameters
        ----------
        delta : int
            Number of blocks; negative ones go back.

        Returns
        -------
        Philox
            Itself.

        Raises
        ------
        ValueError
            Where the counter would leave the range from 0 to 2**62, but for jumps of 2**128.

        Examples
        --------
        >>> import devarray as da
        >>> bits = da.random.Philox(7)
        >>> eighth = bits.random_raw(9)[8].item()
        >>> da.random.Philox(7).advance(2).random_raw().item() == eighth
        True
        """
        with self.lock:
            counter = (self._jumps << 128) - (-self._at // 4) + operator.index(delta)
            jumps, block = divmod(counter % (1 << 256), 1 << 128)
            if 4 * block >= counters.END:
                raise ValueError(f"advance: the counter would become {counter}; it lies from 0 to 2**62")
            if jumps != self._jumps:
                self.ahead = {}
            self._at, self._jumps, self._half = 4 * block, jumps, None
        return self

    def jumped(self, jumps: int = 1) -> Philox:
        """A generator far ahead in the stream, as NumPy's `jumped`: its words are those of NumPy's.

        Streams of 2**130 words lie between two of them, so that each of many workers takes one.

        Parameters
        ----------
        jumps : int
            How often 2**128 blocks of four words are skipped. 1 by default.

        Returns
        -------
        Philox
            A new generator; this one stays where it is.

        Examples
        --------
        >>> import numpy as np, devarray as da
        >>> ours, numpys = da.random.Philox(7).jumped(3), np.random.Philox(7).jumped(3)
        >>> ours.random_raw(3).copy_to_host() == numpys.random_raw(3)
        array([ True,  True,  True])
        """
        made = Philox()
        made.state = self.state
        return made.advance(operator.index(jumps) << 128)

    def take_words(self, count: int) -> int:
        """Reserve words of the stream, which no other draw gets.

        Parameters
        ----------
        count : int
            Number of words.

        Returns
        -------
        int
            Number of the first one.

        Examples
        --------
        >>> import devarray as da
        >>> bits = da.random.Philox(7)
        >>> bits.take_words(3), bits.take_words(1)
        (0, 3)
        """
        with self.lock:
            first = self._at
            self._at += count
        return first

    def take_halves(self, count: int) -> tuple[int, int | None]:
        """Reserve half words of the stream, which no other draw gets.

        As NumPy does, the upper half of a word is kept for the next draw of 32-bit numbers.

        Parameters
        ----------
        count : int
            Number of half words.

        Returns
        -------
        first : int
            Number of the first half word.
        kept : int or None
            The value that takes its place, kept from the draw before; None where there is none.

        Examples
        --------
        >>> import devarray as da
        >>> bits = da.random.Philox(7)
        >>> bits.take_halves(2)
        (0, None)
        """
        with self.lock:
            kept, first = self._half, 2 * self._at
            if count == 0:
                return first, None
            fresh = count - (kept is not None)
            self._at += (fresh + 1) // 2
            last = self._at - 1
            self._half = counters.upper_half(self._key, self._jumps, last) if fresh % 2 else None
        return (first, None) if kept is None else (first - 1, kept)

    def count(self, shape: Any) -> int:
        """How many words a draw takes. devarray.dask.random has another answer, of which a draw is only a block.

        Parameters
        ----------
        shape : int or tuple of int
            Of the draw.

        Returns
        -------
        int
            Number of words.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.Philox(7).count((2, 3))
        6
        """
        sizes = shape if type(shape) is tuple or np.ndim(shape) else (shape,)
        return max(math.prod(map(operator.index, sizes)), 0)

    def numbers(self, shape: ShapeLike | None, first: int, queue: Queue | None, allocator: object) -> Array:
        """The number of each element's word in the stream, where they begin at `first`.

        Parameters
        ----------
        shape : int or tuple of int
            Of the draw.
        first : int
            Number of the first word.
        queue : Queue or None
            Orders the work; None is the current one.
        allocator : memory resource or None
            Where the memory comes from; None is the current one.

        Returns
        -------
        Array
            uint64.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.Philox(7).numbers((2, 2), 5, None, None).tolist()
        [[5, 6], [7, 8]]
        """
        return _core.iota(shape, _WORD, first % counters.END, 1, queue, allocator)

    def words(self, shape: ShapeLike, queue: Any, allocator: Any) -> Array:
        """The next words of the stream.

        Parameters
        ----------
        shape : int or tuple of int
            Shape of the result.
        queue : Queue or None
            Orders the work; None is the current one.
        allocator : memory resource or None
            Where the memory comes from; None is the current one.

        Returns
        -------
        Array
            uint64.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.Philox(7).words((2, 3), None, None).shape
        (2, 3)
        """
        count = self.count(shape)
        first = self.take_words(count)
        numbers = self.numbers(shape, first, queue, allocator)
        in_memory = type(self) is Philox and count >= LONG and not self._jumps
        words = words_in_memory(self.key, first, count, numbers) if in_memory else None
        return self.word(numbers) if words is None else words.reshape(numbers.shape)

    def word(self, numbers: Array) -> Array:
        """The words of some numbers in the stream.

        Parameters
        ----------
        numbers : Array
            uint64.

        Returns
        -------
        Array
            uint64.

        Examples
        --------
        >>> import devarray as da
        >>> bits = da.random.Philox(7)
        >>> (bits.word(da.asarray([0, 1], da.uint64)) == bits.random_raw(2)).tolist()
        [True, True]
        """
        if self._jumps:
            return counters.word_of_jumped(numbers, self._key, self._jumps)
        return _core.apply(OP["philox"], numbers, *self._key)

    def half_words(self, shape: ShapeLike, queue: Queue | None, allocator: object) -> Array:
        """The next half words of the stream.

        Parameters
        ----------
        shape : int or tuple of int
            Shape of the result.
        queue : Queue or None
            Orders the work; None is the current one.
        allocator : memory resource or None
            Where the memory comes from; None is the current one.

        Returns
        -------
        Array
            uint32.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.Philox(7).half_words(3, None, None).dtype
        dtype('uint32')
        """
        count = self.count(shape)
        first, kept = self.take_halves(count)
        numbers = self.numbers(shape, first, queue, allocator)
        if kept is None and type(self) is Philox and count >= LONG and not self._jumps:
            words = words_in_memory(self.key, first // 2, (count + 1) // 2, numbers)
            if words is not None:
                return words.view(np.uint32)[:count].reshape(numbers.shape)
        if self._jumps:
            half = self.word(numbers >> 1) >> ((numbers & 1) << 5)
        else:
            half = _core.apply(OP["philox_half"], numbers, *self._key)
        half = half.astype(np.uint32)
        return half if kept is None else _core.apply(OP["where"], numbers == first % counters.END, kept, half)

    def random_raw(
        self,
        size: ShapeLike | None = None,
        *,
        device: Device | None = None,
        allocator: object = None,
        queue: Queue | None = None,
    ) -> Array:
        """The next words of the stream, as NumPy's method of that name.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; without axes by default.
        device, allocator, queue : optional
            Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

        Returns
        -------
        Array
            uint64.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.Philox(7).random_raw((2, 3)).shape
        (2, 3)
        """
        return self.words(() if size is None else size, *resolve_place(device, allocator, queue))

    def on_host(self, draw: Callable[[np.random.Generator], np.ndarray]) -> np.ndarray:
        """What NumPy draws from here on; the stream goes on behind it.

        Parameters
        ----------
        draw : callable
            Of a ``numpy.random.Generator`` at this place of the stream; returns the numbers.

        Returns
        -------
        numpy.ndarray
            What `draw` returns.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.Philox(7).on_host(lambda rng: rng.random(3)).shape
        (3,)
        """
        with self.lock:
            numpys: Any = np.random.Philox(key=0)
            numpys.state = self._numpys()
            drawn = draw(np.random.Generator(numpys))
            self._become(numpys.state)
        return drawn

    # --- state -----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, Any]:
        """Key and counter, in the form of ``numpy.random.Philox.state``, which takes it as its own and the reverse.

        Examples
        --------
        >>> import numpy as np, devarray as da
        >>> ours, numpys = da.random.default_rng(1), np.random.Generator(np.random.Philox())
        >>> x = ours.random(5)
        >>> numpys.bit_generator.state = ours.bit_generator.state
        >>> ours.random(3).copy_to_host() == numpys.random(3)
        array([ True,  True,  True])
        """
        with self.lock:
            return self._numpys()

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict) or value.get("bit_generator") != "Philox":
            raise ValueError("a Philox takes the state of a Philox: a dict whose 'bit_generator' is 'Philox'")
        with self.lock:
            self._become(value)

    def _numpys(self) -> dict[str, Any]:
        return counters.numpys_state(self._key, self._jumps, self._at, self._half)

    def _become(self, numpys: dict[str, Any]) -> None:
        self._key, self._jumps, self._at, self._half = counters.read_state(numpys)
        self.ahead = {}

    def __getstate__(self) -> dict[str, Any]:
        with self.lock:
            return {name: value for name, value in self.__dict__.items() if name not in ("lock", "ahead")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock, self.ahead = threading.Lock(), {}

    def __repr__(self) -> str:
        return f"<devarray.random.Philox, {self._at} words taken>"
