// Room of TestSupport: see docs/modules.md.
