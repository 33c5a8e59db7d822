// Tests of EnergyKit.
