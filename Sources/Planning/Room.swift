// Room of Planning: see docs/modules.md.
