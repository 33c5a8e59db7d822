// Tests of ThreadKit.
