#!/usr/bin/env python3
"""Tries the hub with a real Home Assistant; scripts/home-assistant calls it with both at hand."""
import argparse
import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import traceback
from pathlib import Path

from assistant import Assistant, Refused
from house import MESSAGES, House
from publisher import speak

CONFIGURATION = """\
homeassistant: {{name: Check, time_zone: Europe/Berlin, currency: EUR, unit_system: metric, country: DE}}
http: {{server_host: 127.0.0.1, server_port: {port}}}
api:
auth:
config:
energy:
history:
onboarding:
recorder: {{commit_interval: 1}}
websocket_api:
logger: {{default: warning}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Check:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = Path(arguments.config)
        self.broker, self.port = free_port(), free_port()
        self.house = House(arguments.offpeak, self.folder, self.broker, free_port())
        self.messages = dict(MESSAGES)
        self.assistant = Assistant(self.port)
        self.children = []
        self.hass = None
        self.failures = 0

    def say(self, what, is_right, detail=""):
        """One line for one thing tried."""
        print(f"{'ok    ' if is_right else 'FAILED'}  {what}" + (f": {detail}" if detail and not is_right else ""), flush=True)
        self.failures += not is_right

    async def until(self, what, question, within=60):
        """Asks until the question is answered with yes; one line for it."""
        loop, detail = asyncio.get_running_loop(), ""
        end = loop.time() + within
        while loop.time() < end:
            try:
                answer = await question()
                if answer is True:
                    return self.say(what, True)
                detail = str(answer)
            except (Refused, OSError, KeyError) as error:
                detail = repr(error)
            await asyncio.sleep(0.5)
        self.say(what, False, detail[:600])

    def start_hass(self):
        log = open(self.folder / "hass.log", "ab")
        self.hass = subprocess.Popen(["bash", "-c", os.environ["HASS"]], stdout=log, stderr=log)

    def stop_hass(self):
        self.hass.send_signal(signal.SIGTERM)
        self.hass.wait(90)

    async def run(self):
        broker = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        settings = self.folder / "mosquitto.conf"
        settings.write_text(f"listener {self.broker} 127.0.0.1\nallow_anonymous true\nuser root\n")
        log = open(self.folder / "mosquitto.log", "ab")
        self.children.append(subprocess.Popen([broker, "-c", str(settings)], stdout=log, stderr=log))
        speaking = asyncio.create_task(speak(self.broker, self.messages))
        (self.folder / "configuration.yaml").write_text(CONFIGURATION.format(port=self.port))
        self.house.configure()
        try:
            await self.house.start()
            self.start_hass()
            await self.assistant.come_up()
            await asyncio.to_thread(self.assistant.make_account)
            await self.assistant.connect()
        except Exception:
            print((self.folder / "hass.log").read_text()[-3000:], file=sys.stderr)
            raise
        # The hub was there before Home Assistant listened: what is retained is found.
        assistant = self.assistant
        await asyncio.to_thread(assistant.add_mqtt, self.broker)
        await self.finds()
        await self.shows()
        await self.commands()
        await self.takes_energy()
        await self.restarts_of_assistant()
        await self.renames_and_removes()
        await self.hub_goes()
        self.complains()
        if self.arguments.keep:
            print(f"Home Assistant: http://127.0.0.1:{self.port} (owner, owner); the hub: http://127.0.0.1:{self.house.port}")
            await asyncio.Event().wait()
        speaking.cancel()

    # What is tried.

    async def finds(self):
        home = self.house.get("/api/v1/venues")[0]["id"].lower()
        self.names = {"offpeak_grid": "Grid", "offpeak_car": "Car", "offpeak_pump": "Heat pump", f"offpeak_venue_{home}": "Home"}
        self.home = f"offpeak_venue_{home}"

        async def are_there():
            devices = {key: device["name"] for key, device in (await self.assistant.devices()).items()}
            return devices == self.names or devices
        await self.until("every device and the home are found, by their names", are_there)
        announced = {
            "offpeak_grid_power": "sensor", "offpeak_grid_import": "sensor", "offpeak_grid_export": "sensor",
            "offpeak_grid_problem": "binary_sensor", "offpeak_car_mode": "select", "offpeak_car_plugged": "binary_sensor",
            "offpeak_car_goal_energy": "number", "offpeak_car_goal_charge": "number", "offpeak_car_limit_price": "number",
            "offpeak_car_plan": "sensor", "offpeak_car_cost": "sensor", "offpeak_pump_climate": "climate",
            "offpeak_pump_mode": "select", self.home + "_rating": "sensor", self.home + "_good_from": "sensor",
            self.home + "_price": "sensor", self.home + "_limit": "number"}

        async def entities():
            found = await self.assistant.entities()
            wrong = {name: found.get(name) for name, kind in announced.items()
                     if not (found.get(name) or "").startswith(kind + ".")}
            return not wrong or wrong
        await self.until("sensors, selects, numbers, climate and problems are entities of their kinds", entities)

    async def state(self, name):
        """The state of an entity by its stable name."""
        entity = (await self.assistant.entities())[name]
        return (await self.assistant.states())[entity]

    def is_state(self, name, wanted):
        async def question():
            state = (await self.state(name))["state"]
            try:
                return float(state) == float(wanted) or state
            except ValueError:
                return state == wanted or state
        return question

    async def shows(self):
        for name, wanted in {
            "offpeak_grid_power": -740.5, "offpeak_grid_import": 4321.125, "offpeak_grid_export": 812.5,
            "offpeak_grid_problem": "off", "offpeak_car_plugged": "on", "offpeak_car_mode": "off",
            "offpeak_car_import": 1234.5, "offpeak_pump_climate": "auto", self.home + "_price": 0.3,
        }.items():
            await self.until(f"{name} is {wanted}", self.is_state(name, wanted))
        # The car never told its charge: unknown, and never zero (M-4).
        await self.until("offpeak_car_charge is unknown, not zero", self.is_state("offpeak_car_charge", "unknown"))
        grid = (await self.state("offpeak_grid_import"))["attributes"]
        self.say("energy has unit and classes", (grid["unit_of_measurement"], grid["device_class"], grid["state_class"])
                 == ("kWh", "energy", "total_increasing"), str(grid))

    async def commands(self):
        entities = await self.assistant.entities()
        call, house = self.assistant.service, self.house

        async def told(what, service, data, name, question):
            try:
                await call(service, data, entities[name])
            except Refused as error:
                return self.say(what, False, str(error))
            await self.until(what, question)

        def hub(device, *path, wanted):
            async def question():
                value = await asyncio.to_thread(house.device, device)
                for part in path:
                    value = (value or {}).get(part)
                return value == wanted or str(value)
            return question
        await told("select reaches the hub", "select.select_option", {"option": "guided"}, "offpeak_car_mode",
                   hub("car", "mode", wanted="guided"))
        await self.until("and the state comes back", self.is_state("offpeak_car_mode", "guided"))
        await told("a goal in kWh", "number.set_value", {"value": 9.5}, "offpeak_car_goal_energy",
                   hub("car", "goal", "energyWattHours", wanted=9500))
        await told("a goal in percent", "number.set_value", {"value": 80}, "offpeak_car_goal_charge",
                   hub("car", "goal", "stateOfCharge", wanted=80))
        await told("a price limit of zero", "number.set_value", {"value": 0}, "offpeak_car_limit_price",
                   hub("car", "limit", "pricePerKWh", wanted=0))

        async def limited():
            venue = (await asyncio.to_thread(house.get, "/api/v1/venues"))[0]["id"]
            limit = await asyncio.to_thread(house.get, f"/api/v1/venues/{venue}/limit")
            return limit.get("powerWatts") == 4200 or limit
        await told("a power limit of the home", "number.set_value", {"value": 4200}, self.home + "_limit", limited)
        await self.until("and the state comes back", self.is_state(self.home + "_limit", 4200))
        await told("climate takes a temperature", "climate.set_temperature", {"temperature": 21.5},
                   "offpeak_pump_climate", hub("pump", "goal", "setpointCelsius", wanted=21.5))
        await told("climate takes a mode", "climate.set_hvac_mode", {"hvac_mode": "off"}, "offpeak_pump_climate",
                   hub("pump", "mode", wanted="off"))
        await self.until("and the state comes back", self.is_state("offpeak_pump_climate", "off"))

    async def takes_energy(self):
        entities = await self.assistant.entities()
        grid = {
            "type": "grid", "cost_adjustment_day": 0,
            "flow_from": [{
                "stat_energy_from": entities["offpeak_grid_import"], "stat_cost": None,
                "entity_energy_price": entities[self.home + "_price"], "number_energy_price": None}],
            "flow_to": [{
                "stat_energy_to": entities["offpeak_grid_export"], "stat_compensation": None,
                "entity_energy_price": None, "number_energy_price": None}]}
        await self.assistant.call(
            "energy/save_prefs", energy_sources=[grid],
            device_consumption=[{"stat_consumption": entities["offpeak_car_import"]}])

        async def valid():
            found = await self.assistant.call("energy/validate")
            issues = [issue for part in found.values() for one in part for issue in one]
            if self.arguments.without_statistics:
                issues = [issue for issue in issues if issue["type"] != "statistics_not_defined"]
            return not issues or issues
        text = "" if not self.arguments.without_statistics else ", statistics left out"
        await self.until(f"the energy dashboard takes counters, price and charger (energy/validate{text})", valid, 400)

    async def restarts_of_assistant(self):
        before = await self.assistant.entities()
        await asyncio.to_thread(self.stop_hass)
        self.start_hass()
        await self.assistant.come_up()
        await self.assistant.connect()

        async def all_back():
            if await self.assistant.entities() != before:
                return "other entities"
            states = await self.assistant.states()
            away = [entity for entity in before.values() if states.get(entity, {}).get("state") in (None, "unavailable")]
            return not away or away
        await self.until("after a restart of Home Assistant every entity is back with a state", all_back)

    async def renames_and_removes(self):
        before = await self.assistant.entities()
        await asyncio.to_thread(self.house.stop)

        async def away():
            return (await self.state("offpeak_grid_power"))["state"] == "unavailable"
        await self.until("without the hub its entities are unavailable", away)
        self.house.configure(charger="Garage", has_pump=False)
        await self.house.start()

        async def renamed():
            devices = await self.assistant.devices()
            name = devices["offpeak_car"]["name"]
            return name == "Garage" or name
        await self.until("a device with another name in the configuration has it there too", renamed)

        async def gone():
            devices = await self.assistant.devices()
            return "offpeak_pump" not in devices
        await self.until("a device that left the configuration is gone", gone)

        async def same():
            kept = {name: entity for name, entity in before.items() if not name.startswith("offpeak_pump_")}
            found = await self.assistant.entities()
            return found == kept or sorted(set(found.items()) ^ set(kept.items()))
        await self.until("the others keep their names and entities, and so their history", same)
        await self.until("and their states are back", self.is_state("offpeak_grid_power", -740.5))

    async def hub_goes(self):
        self.house.process.kill()
        self.house.process.wait()

        async def away():
            return (await self.state("offpeak_grid_power"))["state"] == "unavailable"
        await self.until("a hub that is killed is unavailable by its last will", away)
        await self.house.start()
        await self.until("and back when it is", self.is_state("offpeak_grid_power", -740.5))

    def complains(self):
        """What Home Assistant logged about what it was told."""
        lines = (self.folder / "hass.log").read_text().splitlines()
        found = [line for line in lines if "offpeak" in line.lower() or "components.mqtt" in line or "[homeassistant.components.sensor" in line]
        # That the broker was gone or the hub's folder has its name in it is no complaint.
        found = [line for line in found if "Traceback" not in line and ("WARNING" in line or "ERROR" in line)]
        self.say("Home Assistant complains of nothing that it was told", not found, "\n".join(found)[:1500])

    def end(self):
        self.house.stop()
        if self.hass and self.hass.poll() is None:
            self.hass.terminate()
            try:
                self.hass.wait(30)
            except subprocess.TimeoutExpired:
                self.hass.kill()
        for child in self.children:
            child.terminate()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--offpeak", required=True)
    parser.add_argument("--config", required=True)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--without-statistics", action="store_true")
    check = Check(parser.parse_args())
    # Asked to end, it ends what it started first.
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, asyncio.current_task().cancel)
    try:
        await check.run()
    except asyncio.CancelledError:
        check.failures += not check.arguments.keep
    except Exception:
        traceback.print_exc()
        check.failures += 1
    finally:
        check.end()
    if check.failures:
        for name in ("hass.log", "hub.log"):
            log = check.folder / name
            if log.exists():
                print(f"--- the end of {name}", log.read_text()[-3000:], sep="\n", file=sys.stderr)
    print(f"{check.failures} failed" if check.failures else "all is as it should be")
    return 1 if check.failures else 0


sys.exit(asyncio.run(main()))
