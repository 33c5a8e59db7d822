// Room of Sinks: see docs/modules.md.
