"""`gpuparse devices`: what can compute here, and why not."""

from __future__ import annotations

from gpuparse.cli.arguments import Json
from gpuparse.cli.tables import print_json, print_table


def devices_command(as_json: Json = False) -> None:
    """Tell what can be used here, and what can't and why."""
    from gpuparse.device import list_devices

    listed = list_devices()
    if as_json:
        print_json([device.as_json() for device in listed])
        return
    print_table(
        "Devices",
        ["device", "usable", "what"],
        [[device.name, "yes" if device.usable else "no", device.about] for device in listed],
        figures=False,
    )
