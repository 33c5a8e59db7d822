// Room of HubKit: see docs/modules.md.
