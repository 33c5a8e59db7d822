// Room of Systemd: see docs/modules.md.
