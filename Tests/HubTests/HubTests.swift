import Testing

/// The real program as a child process.
///
/// One after the other: a demo runs a day in seconds and needs the machine.
@Suite(.serialized) enum HubTests {}
