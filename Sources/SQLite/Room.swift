// Room of SQLite: see docs/modules.md.
