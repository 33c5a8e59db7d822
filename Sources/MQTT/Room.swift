// Room of MQTT: see docs/modules.md.
