// Room of WebAPI: see docs/modules.md.
