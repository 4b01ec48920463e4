"""Where a GPU sits on its bus, as AMD's OpenCL tells it."""

from __future__ import annotations

from typing import NamedTuple

from ._constants import device_topology_type_amd

__all__ = ["DeviceTopologyAmd"]


class DeviceTopologyAmd(NamedTuple):
    """A place on the PCI bus, what ``Device.topology_amd`` tells.

    It is a tuple of `bus`, `device` and `function`.

    Parameters
    ----------
    bus : int, optional
        Number of the bus, 0 by default.
    device : int, optional
        Number of the device on it, 0 by default.
    function : int, optional
        Number of the device's function, 0 by default.

    Examples
    --------
    >>> from devarray import cl
    >>> place = cl.DeviceTopologyAmd(3, 4, 5)
    >>> place.bus, place.device, place.function
    (3, 4, 5)
    >>> place.type == cl.device_topology_type_amd.PCIE
    True
    """

    bus: int = 0
    device: int = 0
    function: int = 0

    @property
    def type(self) -> int:
        """Of which kind the place is, a `device_topology_type_amd`."""
        return int(device_topology_type_amd.PCIE)
