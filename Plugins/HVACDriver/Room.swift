// Room of HVACDriver.
