// Room of Control: see docs/modules.md.
