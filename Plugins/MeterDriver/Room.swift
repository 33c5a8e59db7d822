// Room of MeterDriver.
