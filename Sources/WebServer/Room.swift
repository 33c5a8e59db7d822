// Room of WebServer: see docs/modules.md.
