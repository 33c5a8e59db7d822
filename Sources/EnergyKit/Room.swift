// Room of EnergyKit: see docs/modules.md.
