// Room of LoadEvents: see docs/modules.md.
