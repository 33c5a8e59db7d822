// Tests of LoadEvents.
