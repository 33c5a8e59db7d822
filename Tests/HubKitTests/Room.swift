// Tests of HubKit.
