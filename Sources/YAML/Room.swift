// Room of YAML: see docs/modules.md.
