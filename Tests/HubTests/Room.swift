// Tests of Hub.
