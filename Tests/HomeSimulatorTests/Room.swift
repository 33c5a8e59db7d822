// Tests of HomeSimulator.
