// Tests of Storage.
