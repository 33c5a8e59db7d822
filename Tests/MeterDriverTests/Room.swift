// Tests of MeterDriver.
