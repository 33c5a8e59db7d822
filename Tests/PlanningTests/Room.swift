// Tests of Planning.
