"""The house of the check: a hub's configuration, the hub itself, and what its devices say on the broker."""
import asyncio
import json
import subprocess
import urllib.request

# What each device says, as its profile reads it; what is kept holds until it changes.
MESSAGES = {
    "openWB/lp/1/boolPlugStat": "1",
    "openWB/lp/1/boolChargeStat": "0",
    "openWB/lp/1/W": "0",
    "openWB/lp/1/kWhCounter": "1234.5",
    "openWB/lp/1/APhase1": "0",
    "openWB/lp/1/APhase2": "0",
    "openWB/lp/1/APhase3": "0",
    "tele/head/SENSOR": '{"SML":{"power_curr":-740.5,"total_in":4321.125,"total_out":812.5}}',
    "air/target": "20",
    "air/room": "19.5",
    "air/action": "heating",
}

METER = "{id: grid, name: Grid, driver: meter, profile: tasmota-sml, role: grid, connection: {topic: head, parameters: {meter: SML}}}"
CHARGER = (
    "{id: car, name: %s, driver: ev, profile: openwb-secondary, mode: \"off\", limits: {max_amps: 16}, "
    "vehicle: {capacity_kwh: 60}, goal: {energy_kwh: 12, ready_by: \"07:00\"}, connection: {topic: openWB}}")
PUMP = (
    "{id: pump, name: Heat pump, driver: hvac, profile: ha-mqtt-climate, goal: {setpoint_celsius: 20}, connection: "
    "{topic: air, parameters: {temperature_command_topic: air/set, temperature_state_topic: air/target, "
    "current_temperature_topic: air/room, action_topic: air/action}}}")


class House:
    """The hub's process and its HTTP API."""

    def __init__(self, program, folder, broker, port):
        self.program, self.folder, self.broker, self.port = program, folder, broker, port
        self.process = None

    def configure(self, charger="Car", has_pump=True):
        """Writes the configuration."""
        devices = [METER, CHARGER % charger] + ([PUMP] if has_pump else [])
        lines = [
            f"data: {self.folder}/data", f'http: {{listen: "127.0.0.1:{self.port}"}}',
            f"mqtt: {{host: 127.0.0.1, port: {self.broker}}}", "venues:",
            "  - {name: Home, time_zone: Europe/Berlin, currency: EUR, rate_plan: {flat: 0.30}, "
            "connection: {phases: 3, amps: 35}}", "devices:"]
        text = "\n".join(lines + [f"  - {device}" for device in devices]) + "\n"
        (self.folder / "offpeak.yaml").write_text(text)

    async def start(self):
        """Starts the hub and waits until it answers."""
        log = open(self.folder / "hub.log", "ab")
        self.process = subprocess.Popen(
            [self.program, "run", "--config", str(self.folder / "offpeak.yaml")], stdout=log, stderr=log)
        for _ in range(240):
            if self.process.poll() is not None:
                raise RuntimeError("the hub ended: " + (self.folder / "hub.log").read_text()[-2000:])
            try:
                return await asyncio.to_thread(self.get, "/readyz", False)
            except OSError:
                await asyncio.sleep(0.25)
        raise RuntimeError("the hub is not ready")

    def stop(self):
        """Ends the hub properly."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def get(self, path, is_json=True):
        """What the hub's API answers."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return json.loads(answer.read()) if is_json else answer.read()

    def device(self, name):
        """A device as the API shows it."""
        return self.get(f"/api/v1/devices/{name}")
