// Tests of Sinks.
