extension ProfileFormat {
    static let hvac = Section(
        "hvac",
        Key("setpoint", .section("setpoint"), "mapping", "none", "what the command `setpoint` takes"),
        Key(
            "minimum_dwell_seconds", .number(0...86_400), "0 to 86400", "600",
            "how long a load state lasts at least, and a step of power before a higher one"),
        Key(
            "full_power_watts", .number(1...100_000), "1 to 100000", "none",
            "power at full stage, to turn power into a stage where no point gives `stagePercent`"),
        Key(
            "reassert_seconds", .number(1...86_400), "1 to 86400", "none",
            "after how long the device forgets a load state; it is then written again. Leave it out where the device keeps it: memory wears"
        ),
        Key("surplus", .section("surplus"), "mapping", "none", "how it takes the command `surplus`"),
        Key("power_limit", .section("power_limit"), "mapping", "none", "what the command `power_limit` takes"),
        Key("offset", .section("offset"), "mapping", "none", "what the command `offset` takes"),
        Key(
            "stages", .list(.number(0...100)), "list of numbers", "none",
            "its steps of power in percent of full power, from 0 to 100, each with its command `stage_0`, `stage_1`, …"
        ))

    static let setpoint = Section(
        "setpoint",
        Key("minimum_celsius", .number(-30...90), "-30 to 90", "needed", "the lowest"),
        Key("maximum_celsius", .number(-30...90), "-30 to 90", "needed", "the highest"))

    static let surplus = Section(
        "surplus",
        Key(
            "maximum_watts", .number(1...100_000), "1 to 100000", "the person's",
            "the most it takes; without it `limits.max_watts` of the configuration is needed"),
        Key("every_seconds", .number(1...3600), "1 to 3600", "30", "how often an offer above 0 is written again"),
        Key("is_all", .flag, "`true`, `false`", "`false`", "it draws nothing but what it is offered"))

    static let powerLimit = Section(
        "power_limit",
        Key("minimum_watts", .number(0...100_000), "0 to 100000", "needed", "the lowest"),
        Key("maximum_watts", .number(0...100_000), "0 to 100000", "needed", "the highest"))

    static let offset = Section(
        "offset",
        Key("minimum_kelvin", .number(-20...20), "-20 to 20", "needed", "the lowest"),
        Key("maximum_kelvin", .number(-20...20), "-20 to 20", "needed", "the highest"))
}
