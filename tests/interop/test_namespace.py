"""The namespace of the Array API standard: version, capabilities, dtypes and devices, true for the device at hand."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import devarray as da

INFO = da.__array_namespace_info__()


def test_the_namespace_of_an_array_is_the_package(device: da.Device) -> None:
    x = da.ones(3)
    assert x.__array_namespace__() is da
    assert x.__array_namespace__(api_version="2025.12") is da
    assert da.__array_api_version__ == "2025.12"


def test_an_unknown_version_is_an_error(device: da.Device) -> None:
    with pytest.raises(ValueError, match=r"2025\.12.*not '1999\.01'"):
        da.ones(3).__array_namespace__(api_version="1999.01")


def test_as_many_dimensions_as_it_says_and_no_more(device: da.Device) -> None:
    most = INFO.capabilities()["max dimensions"]
    x = da.ones((1,) * (most - 1) + (2,), da.float32)
    assert (x + x).copy_to_host().shape == (1,) * (most - 1) + (2,)
    with pytest.raises(da.ShapeError, match=str(most)):
        da.ones((1,) * (most + 1))


def test_default_dtypes_are_those_of_the_functions(device: da.Device) -> None:
    dtypes = INFO.default_dtypes()
    assert da.zeros(1).dtype == da.ones(1).dtype == da.linspace(0, 1, 2).dtype == dtypes["real floating"]
    assert da.asarray([1j]).dtype == da.full(1, 1j).dtype == dtypes["complex floating"]
    assert da.arange(3).dtype == da.asarray([1]).dtype == dtypes["integral"]
    assert da.argmax(da.ones(3)).dtype == dtypes["indexing"]


def test_dtypes_are_those_that_each_device_computes_with(device: da.Device) -> None:
    for there in da.devices():
        dtypes = INFO.dtypes(device=there)
        assert ("float64" in dtypes) == ("complex128" in dtypes) == there.caps["fp64"]
        for name in ("float64", "complex128"):
            if name in dtypes:
                assert da.ones(2, dtypes[name], device=there).dtype == np.dtype(name)
            else:
                with pytest.raises(da.DTypeError):
                    da.ones(2, name, device=there)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("bool", {"bool"}),
        ("signed integer", {"int8", "int16", "int32", "int64"}),
        ("unsigned integer", {"uint8", "uint16", "uint32", "uint64"}),
        (("bool", "unsigned integer"), {"bool", "uint8", "uint16", "uint32", "uint64"}),
        ("real floating", {"float32", "float64"}),
        ("complex floating", {"complex64", "complex128"}),
    ],
)
def test_dtypes_of_a_kind(device: da.Device, kind: str | tuple[str, ...], names: set[str]) -> None:
    if not device.caps["fp64"]:
        names = names - {"float64", "complex128"}
    assert set(INFO.dtypes(kind=kind)) == names


def test_devices(device: da.Device) -> None:
    assert isinstance(INFO.devices(), tuple)
    assert INFO.default_device() is device
    assert device in INFO.devices()
    with da.use(device=INFO.devices()[-1]):
        assert INFO.default_device() is da.ones(1).device


def test_devices_beside_a_list() -> None:
    """Programs for the list of the standard's earlier versions join it with their own."""
    devices = list(da.devices())
    assert operator.add(INFO.devices(), [None]) == [*devices, None]
    assert operator.add([None], INFO.devices()) == [None, *devices]
    assert operator.add(INFO.devices(), (None,)) == (*devices, None)
