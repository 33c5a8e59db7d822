// Tests of Bridge.
