// Room of Insights: see docs/modules.md.
