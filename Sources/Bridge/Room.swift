// Room of Bridge: see docs/modules.md.
