"""Arrays of a device that is only simulated: NumPy's, but as strict as CuPy's.

They don't mix with arrays of the host, and Python can't read them, so code that works with them copies wherever CuPy
needs a copy.
"""

import sys
import threading
from typing import Any

import numpy as np
from numba import types
from numba.np import numpy_support


class DeviceArray(np.ndarray):
    """An array that only kernels, the functions of `arrays` and to_host can read."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        target = None if out is None else tuple(map(_inside, out))
        result = getattr(ufunc, method)(*map(_inside, inputs), out=target, **options)
        return out[0] if out is not None else _outside(result)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _outside(function(*_inside(args), **{name: _inside(value) for name, value in kwargs.items()}))

    def __getitem__(self, key: Any) -> Any:
        return _outside(np.asarray(self.view(np.ndarray)[_inside(key)]))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.view(np.ndarray)[_inside(key)] = _inside(value)

    def _refuse(self, *_: Any) -> Any:
        raise TypeError("an array of the device is looked at: copy it with to_host")

    __float__ = __int__ = __bool__ = __index__ = __iter__ = tolist = item = tobytes = _refuse  # type: ignore[assignment]  # takes less


class DeviceArrays:
    """The functions of NumPy, on arrays of the simulated device.

    >>> arrays = DeviceArrays()
    >>> (arrays.zeros(3) + np.ones(3)).sum()
    Traceback (most recent call last):
        ...
    TypeError: an array of the host among those of the device: copy it with to_device
    """

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)

        def on_device(*args: Any, **kwargs: Any) -> Any:
            return _outside(function(*_inside(args), **{key: _inside(value) for key, value in kwargs.items()}))

        return on_device


def _inside(value: Any) -> Any:
    """What NumPy computes with."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(_inside, value))
    if isinstance(value, DeviceArray):
        return value.view(np.ndarray)
    if isinstance(value, np.ndarray):
        raise TypeError("an array of the host among those of the device: copy it with to_device")
    return value


def _outside(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_outside, value))
    return np.asarray(value).view(DeviceArray) if isinstance(value, (np.ndarray, np.generic)) else value


_lock = threading.Lock()


def _shared_array(self: Any, shape: Any, dtype: Any, alignment: Any = None) -> np.ndarray:
    """The array that a block's threads share: the first thread to come to this line of the kernel makes it."""
    frame = sys._getframe(1)
    with _lock:
        array = self._allocations.get(frame.f_lineno)
        if array is None:
            dtype = numpy_support.as_dtype(dtype) if isinstance(dtype, types.Type) else dtype
            array = self._allocations[frame.f_lineno] = np.empty(shape, dtype)
    return array


def mend_simulator() -> None:
    """Numba's own function makes two arrays where two threads ask at the same time, and walks up the whole stack."""
    from numba.cuda.simulator.kernelapi import FakeCUDAShared

    FakeCUDAShared.array = _shared_array
    sys.setswitchinterval(1e-5)  # the simulator polls its threads, which must get their turn
