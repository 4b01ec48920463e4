"""Runs at the start of a program's process, as its sitecustomize.

Windows stay shut, animations have three frames, and each figure that is shown, saved or left at the end is kept as
pixels in the folder that the environment's ``FOREIGN_FIGURES`` names. NumPy's random numbers begin at a seed where the
program names none; all seeds are further by ``FOREIGN_FURTHER``.
"""

import atexit
import os
from itertools import count

import matplotlib.animation
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

_numbers = count()


def _keep(figure, *_args, **_kwargs):
    figure.canvas.draw()
    number = next(_numbers)
    np.save(os.path.join(os.environ["FOREIGN_FIGURES"], f"{number:03}.npy"), np.asarray(figure.canvas.buffer_rgba()))


def _keep_all(*_args, **_kwargs):
    for number in plt.get_fignums():
        _keep(plt.figure(number))


def _keep_the_rest():
    if next(_numbers) == 0:
        _keep_all()


_make = matplotlib.animation.FuncAnimation.__init__


def _make_few(self, fig, func, frames=None, *args, **kwargs):
    _make(self, fig, func, frames, *args, **kwargs)
    for frame, _ in zip(self.new_frame_seq(), range(3), strict=False):
        func(frame, *(kwargs.get("fargs") or ()))
    self._draw_was_started = True


matplotlib.animation.FuncAnimation.__init__ = _make_few
matplotlib.animation.FuncAnimation.save = _keep_all
Figure.savefig = _keep
plt.show = _keep_all
plt.pause = lambda interval: None
atexit.register(_keep_the_rest)

_further = int(os.environ["FOREIGN_FURTHER"])
_seed_all, _default_rng = np.random.seed, np.random.default_rng


def _seed(seed):
    return 1 + _further if seed is None else seed + _further if isinstance(seed, int) else seed


class _State(np.random.RandomState):
    def __init__(self, seed=None):
        super().__init__(_seed(seed))


np.random.default_rng = lambda seed=None: _default_rng(_seed(seed))
if _further:
    np.random.seed = lambda seed=None: _seed_all(_seed(seed))
    np.random.RandomState = _State
_seed_all(_seed(None))
