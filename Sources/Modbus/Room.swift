// Room of Modbus: see docs/modules.md.
