// Room of Guidance: see docs/modules.md.
