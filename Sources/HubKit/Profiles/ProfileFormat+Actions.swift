extension ProfileFormat {
    static let states = Section(
        "states",
        Key("plug", .list(.section("rule")), "list of rules", "none", "`plugged`, `unplugged`"),
        Key(
            "charging", .list(.section("rule")), "list of rules", "none",
            "`idle`, `waiting` (the charger offers current, the car takes none), `charging`, `fault`"),
        Key(
            "mode", .list(.section("rule")), "list of rules", "none",
            "`off`, `idle`, `heating`, `cooling`, `hotWater`, `defrosting`"),
        Key("reduce", .list(.section("rule")), "list of rules", "none", "`normal`, `reduced`, `boosted`, `forced`"))

    static let rule = Section(
        "rule",
        Key(
            "when", .conditions, "conditions", "always",
            "`{POINT: TEST, …}`, which must all hold. A test is a number, a text, a list of them, or a mapping as below"
        ),
        Key("is", .text, "text", "needed", "the state"))

    static let comparison = Section(
        "comparison",
        Key("at_least", .number(-1e18...1e18), "number", "none", "the value is this or more, after scaling"),
        Key("below", .number(-1e18...1e18), "number", "none", "the value is less"),
        Key("starts_with", .text, "text", "none", "the text begins so"))

    static let charger = Section(
        "charger",
        Key("minimum_amps", .number(1...80), "1 to 80", "6", "the least current that charges"),
        Key(
            "maximum_amps", .number(1...80), "1 to 80", "the person's",
            "the highest current for each phase; without it `limits.max_amps` of the configuration is needed"),
        Key("step_amps", .number(0.001...16), "0.001 to 16", "1", "the finest step; the hub rounds down"),
        Key("phases", .list(.integer(1...3)), "list of 1, 2, 3", "`[3]`", "the phases it can charge on"))

    static let battery = Section(
        "battery",
        Key(
            "expires_seconds", .number(5...86_400), "5 to 86400", "needed",
            "after how long the device follows the house again by itself where nothing is written; an order is written again after two fifths of it"
        ))

    static let write = Section(
        "write",
        Key("holding", .integer(0...65_535), "0 to 65535", "one is needed", "a holding register: its first address"),
        Key("coil", .integer(0...65_535), "0 to 65535", "", "a coil, written by function 5"),
        Key(
            "type", .choice(RegisterType.names.keys.sorted()), "as of points", "`u16`; `bit` for `coil`",
            "how the value becomes words"),
        Key("words", .integer(1...64), "", "none", "not for writes, which are numbers"),
        Key(
            "word_order", .choice(WordOrder.allCases.map(\.rawValue)), "`big`, `little`", "`big`",
            "which word is written first"),
        Key("byte_order", .choice(ByteOrder.allCases.map(\.rawValue)), "`big`, `little`", "`big`", "as of points"),
        Key("scale", .factor, "as of points", "1", "raw = argument / `scale`"),
        Key(
            "value", .number(-1e12...1e12), "number", "the argument",
            "a raw number instead, always the same; only `current`, `setpoint`, `offset`, `surplus`, `power_limit` and `charge` have an argument"
        ),
        Key("value_of", .text, "point", "the argument", "what was last read from this point instead"),
        Key(
            "allowed", .range, "two numbers", "any",
            "the values it takes, in the unit of the argument; otherwise nothing of the command is written"),
        Key(
            "multiple", .flag, "`true`, `false`", "`false`",
            "function 16 even for one word; more words always go by 16, one by 6"))

    static let watchdog = Section(
        "watchdog",
        Key(
            "period_point", .text, "point", "none", "holds the period in seconds; 0 is off. One of the three is needed"),
        Key("period_seconds", .number(1...86_400), "1 to 86400", "none", "the period where no point tells it"),
        Key(
            "every_seconds", .number(0.5...86_400), "0.5 to 86400", "none",
            "how often it is fed, where the maker names that and no period; not beside `period_seconds`"),
        Key("share", .number(0.05...0.9), "0.05 to 0.9", "0.5", "the part of the period after which it is fed"),
        Key(
            "feed", .anything, "writes, or `read`", "the current again",
            "what is written; `read` where any request that is answered feeds it"))

    static let option = Section(
        "option",
        Key("about", .text, "text", "needed", "when to choose it"),
        Key(
            "change", .anything, "mapping", "needed",
            "keys of this profile with other values, laid over it mapping by mapping"))
}
