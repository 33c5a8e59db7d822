// Room of ProfileKit: see docs/modules.md.
