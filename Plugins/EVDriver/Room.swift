// Room of EVDriver.
