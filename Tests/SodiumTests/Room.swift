// Tests of Sodium.
