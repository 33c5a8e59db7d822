// Tests of EVDriver.
