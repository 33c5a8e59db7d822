// Room of HomeSimulator: see docs/modules.md.
