// Tests of Modbus.
