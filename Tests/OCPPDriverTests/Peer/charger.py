#!/usr/bin/env python3
"""A charger made of libraries that are not ours: `ocpp` (The Mobility House) on `websockets`, both from PyPI.

usage: charger.py URL [PASSWORD [CERTIFICATE]]

It plays one evening: it starts, a car is plugged in, the hub lets it charge, changes the limit, pauses, and the car is
unplugged. The library checks every message of both sides against OCPP's own schemas. Each step is a line on standard
output; what goes wrong ends it with a traceback.
"""

import asyncio
import base64
import logging
import ssl
import sys
from datetime import datetime, timezone

import websockets
from ocpp.routing import on
from ocpp.v16 import ChargePoint, call, call_result
from ocpp.v16 import enums

SETTINGS = {
    "NumberOfConnectors": ("1", True),
    "MeterValueSampleInterval": ("60", False),
    "MeterValuesSampledData": ("Energy.Active.Import.Register", False),
    "ChargingScheduleAllowedChargingRateUnit": ("Current", True),
    "ChargeProfileMaxStackLevel": ("4", True),
    "SupportedFeatureProfiles": ("Core,SmartCharging,RemoteTrigger", True),
}


def say(text):
    print(text, flush=True)


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Charger(ChargePoint):
    def __init__(self, name, connection):
        super().__init__(name, connection)
        self.settings = dict(SETTINGS)
        self.limits = asyncio.Queue()
        self.starts = asyncio.Queue()
        self.counter = 100_000.0
        self.transaction = None

    @on("GetConfiguration")
    def on_get_configuration(self, **_):
        keys = [{"key": k, "value": v, "readonly": r} for k, (v, r) in self.settings.items()]
        return call_result.GetConfiguration(configuration_key=keys)

    @on("ChangeConfiguration")
    def on_change_configuration(self, key, value, **_):
        if key == "MeterValuesSampledData" and "SoC" in value:
            return call_result.ChangeConfiguration(status=enums.ConfigurationStatus.rejected)
        self.settings[key] = (value, False)
        say(f"setting {key} {value}")
        return call_result.ChangeConfiguration(status=enums.ConfigurationStatus.accepted)

    @on("TriggerMessage")
    def on_trigger_message(self, requested_message, **_):
        say(f"trigger {requested_message}")
        return call_result.TriggerMessage(status=enums.TriggerMessageStatus.accepted)

    @on("SetChargingProfile")
    def on_set_charging_profile(self, connector_id, cs_charging_profiles, **_):
        schedule = cs_charging_profiles["charging_schedule"]
        limit = float(schedule["charging_schedule_period"][0]["limit"])
        say(f"limit {limit} {schedule['charging_rate_unit']} connector {connector_id}")
        self.limits.put_nowait(limit)
        return call_result.SetChargingProfile(status=enums.ChargingProfileStatus.accepted)

    @on("ClearChargingProfile")
    def on_clear_charging_profile(self, **_):
        return call_result.ClearChargingProfile(status=enums.ClearChargingProfileStatus.accepted)

    @on("RemoteStartTransaction")
    def on_remote_start(self, id_tag, **_):
        say(f"remote start {id_tag}")
        self.starts.put_nowait(id_tag)
        return call_result.RemoteStartTransaction(status=enums.RemoteStartStopStatus.accepted)

    async def status(self, status):
        await self.call(call.StatusNotification(1, enums.ChargePointErrorCode.no_error, status, timestamp=now()))
        say(f"status {status.value}")

    async def measure(self, amps):
        watts = amps * 3 * 230
        sampled = [
            {"value": f"{self.counter:.0f}", "measurand": "Energy.Active.Import.Register", "unit": "Wh"},
            {"value": f"{watts / 1000:.3f}", "measurand": "Power.Active.Import", "unit": "kW"},
        ]
        sampled += [
            {"value": f"{amps:.1f}", "measurand": "Current.Import", "unit": "A", "phase": phase}
            for phase in ("L1", "L2", "L3")
        ]
        values = [{"timestamp": now(), "sampled_value": sampled}]
        await self.call(call.MeterValues(1, values, transaction_id=self.transaction))
        say(f"measured {watts:.0f} W")

    async def limit(self, wanted):
        while True:
            limit = await asyncio.wait_for(self.limits.get(), 60)
            if wanted(limit):
                return limit

    async def evening(self):
        boot = await self.call(call.BootNotification("Box", "Acme", firmware_version="1.0"))
        say(f"boot {boot.status} {boot.interval}")
        await self.call(call.Heartbeat())
        await self.status(enums.ChargePointStatus.available)
        await self.status(enums.ChargePointStatus.preparing)
        amps = await self.limit(lambda limit: limit > 0)
        id_tag = await asyncio.wait_for(self.starts.get(), 60)
        authorized = await self.call(call.Authorize(id_tag))
        say(f"authorize {authorized.id_tag_info['status']}")
        started = await self.call(call.StartTransaction(1, id_tag, int(self.counter), now()))
        self.transaction = started.transaction_id
        say(f"transaction {self.transaction}")
        await self.status(enums.ChargePointStatus.charging)
        self.counter += 1_500
        await self.measure(amps)
        # The hub takes the current away.
        await self.limit(lambda limit: limit == 0)
        await self.status(enums.ChargePointStatus.suspended_evse)
        await self.measure(0)
        stopped = await self.call(
            call.StopTransaction(int(self.counter), now(), self.transaction, reason=enums.Reason.ev_disconnected))
        say(f"stopped {stopped.id_tag_info['status']}")
        await self.status(enums.ChargePointStatus.available)
        say("done")


async def main():
    url = sys.argv[1]
    name = url.rsplit("/", 1)[1]
    headers = {}
    if len(sys.argv) > 2:
        secret = base64.b64encode(f"{name}:{sys.argv[2]}".encode()).decode()
        headers["Authorization"] = f"Basic {secret}"
    options = {}
    if len(sys.argv) > 3:
        options["ssl"] = ssl.create_default_context(cafile=sys.argv[3])
    async with websockets.connect(
        url, subprotocols=["ocpp1.6"], additional_headers=headers, **options
    ) as connection:
        say(f"connected {connection.subprotocol}")
        charger = Charger(name, connection)
        listening = asyncio.create_task(charger.start())
        await charger.evening()
        # Until the test has seen what is on the board.
        await asyncio.wait_for(listening, 60)


logging.basicConfig(level=logging.ERROR)
try:
    asyncio.run(main())
except websockets.exceptions.ConnectionClosed as closed:
    say(f"closed {closed.rcvd.code if closed.rcvd else None}")
