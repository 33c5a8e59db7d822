// Room of Hub: see docs/modules.md.
