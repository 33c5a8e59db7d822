// Tests of ProfileKit.
