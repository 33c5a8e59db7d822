"""A client of Home Assistant's own API: REST for the set-up, WebSocket for everything after it."""
import asyncio
import json
import urllib.error
import urllib.parse
import urllib.request

import websockets


class Refused(Exception):
    """Home Assistant answered with an error."""


class Assistant:
    """Home Assistant at a port of this machine."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        self.token = None
        self.number = 0
        self.socket = None

    def request(self, method, path, body=None, form=False):
        """One REST request; returns the JSON of the answer."""
        headers, data = {}, None
        if body is not None:
            data = (urllib.parse.urlencode(body) if form else json.dumps(body)).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded" if form else "application/json"
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise Refused(f"{method} {path}: {error.code} {error.read()[:400]!r}") from error
        return json.loads(text) if text else None

    async def come_up(self):
        """Waits until it answers."""
        # The dialogue of the first start is gone at the second.
        path = "/api/config" if self.token else "/api/onboarding"
        for _ in range(240):
            try:
                return await asyncio.to_thread(self.request, "GET", path)
            except (Refused, OSError):
                await asyncio.sleep(0.5)
        raise Refused("Home Assistant does not come up")

    def make_account(self):
        """The first account, as its pages make it."""
        client = self.base + "/"
        code = self.request("POST", "/api/onboarding/users", {
            "client_id": client, "name": "Owner", "username": "owner", "password": "owner", "language": "en"})
        tokens = self.request("POST", "/auth/token", {
            "grant_type": "authorization_code", "code": code["auth_code"], "client_id": client}, form=True)
        self.token = tokens["access_token"]
        for step in ("core_config", "analytics"):
            self.request("POST", "/api/onboarding/" + step, {})
        self.request("POST", "/api/onboarding/integration", {"client_id": client, "redirect_uri": client})

    def add_mqtt(self, port):
        """The MQTT integration, by its configuration dialogue."""
        path = "/api/config/config_entries/flow"
        step = self.request("POST", path, {"handler": "mqtt", "show_advanced_options": False})
        if step["type"] == "menu":
            step = self.request("POST", f"{path}/{step['flow_id']}", {"next_step_id": "broker"})
        made = self.request("POST", f"{path}/{step['flow_id']}", {"broker": "127.0.0.1", "port": port})
        if made["type"] != "create_entry":
            raise Refused(f"the MQTT integration was not made: {made}")

    async def connect(self):
        """Opens the WebSocket."""
        for _ in range(120):
            try:
                self.socket = await websockets.connect(self.base.replace("http", "ws") + "/api/websocket", max_size=None)
                await self.socket.recv()
                await self.socket.send(json.dumps({"type": "auth", "access_token": self.token}))
                answer = json.loads(await self.socket.recv())
                if answer["type"] == "auth_ok":
                    return
                raise Refused(str(answer))
            except OSError:
                await asyncio.sleep(0.5)
        raise Refused("the WebSocket does not open")

    async def call(self, kind, **members):
        """One command over the WebSocket; returns its result."""
        self.number += 1
        await self.socket.send(json.dumps({"id": self.number, "type": kind, **members}))
        while True:
            answer = json.loads(await asyncio.wait_for(self.socket.recv(), 60))
            if answer.get("id") == self.number and answer["type"] == "result":
                if not answer["success"]:
                    raise Refused(f"{kind}: {answer['error']}")
                return answer["result"]

    async def service(self, name, data, entity=None):
        """Calls a service, such as `select.select_option`."""
        domain, service = name.split(".")
        target = {"entity_id": entity} if entity else None
        extra = {"target": target} if target else {}
        await self.call("call_service", domain=domain, service=service, service_data=data, **extra)

    async def devices(self):
        """The devices that Offpeak announced, by their identifier at it."""
        found = {}
        for device in await self.call("config/device_registry/list"):
            for domain, identifier in device["identifiers"]:
                if domain == "mqtt" and identifier.startswith("offpeak_"):
                    found[identifier] = device
        return found

    async def entities(self):
        """Offpeak's entities by their stable name: `{unique_id: entity_id}`."""
        return {
            entity["unique_id"]: entity["entity_id"]
            for entity in await self.call("config/entity_registry/list")
            if entity["platform"] == "mqtt" and entity["unique_id"].startswith("offpeak_")
        }

    async def states(self):
        """All states by entity."""
        return {state["entity_id"]: state for state in await self.call("get_states")}
