"""`gpuparse devices`: what can compute on this machine, and why anything can't."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gpuparse.cli.arguments import Json
from gpuparse.cli.tables import print_json, print_table

if TYPE_CHECKING:
    from gpuparse.device import Device


def devices_command(as_json: Json = False) -> None:
    """List what can compute here, and why the rest can't."""
    from gpuparse.device import list_devices

    devices = list_devices()
    if as_json:
        print_json([device.as_json() for device in devices])
        return
    print_table(
        "Devices",
        ["device", "usable", "what"],
        [[device.name, "yes" if device.usable else "no", device.about] for device in devices],
        figures=False,
    )


def chosen_device(spec: str) -> Device:
    """The one device that --device stands for; a GPU that was chosen for `auto` is named on stderr."""
    from gpuparse.device import find_device

    device = find_device(spec)
    if spec == "auto" and device.number is not None:
        _name(device)
    return device


def chosen_devices(spec: str) -> list[Device]:
    """The devices to train on that --device stands for; for `auto`, the one that was chosen is named on stderr.

    The CPU is named only at a terminal: elsewhere, on a machine without GPUs, it is no news.
    """
    from gpuparse.device import find_devices

    devices = find_devices(spec)
    if spec == "auto" and (devices[0].number is not None or sys.stderr.isatty()):
        _name(devices[0])
    return devices


def _name(device: Device) -> None:
    print(f"device: {device.name} ({device.about})", file=sys.stderr)
