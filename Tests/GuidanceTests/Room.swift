// Tests of Guidance.
