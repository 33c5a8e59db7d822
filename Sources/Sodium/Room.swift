// Room of Sodium: see docs/modules.md.
