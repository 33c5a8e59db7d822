// Room of Storage: see docs/modules.md.
