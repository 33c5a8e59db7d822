// Tests of HVACDriver.
