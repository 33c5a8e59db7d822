extension ProfileFormat {
    private static let types = RegisterType.names.keys.sorted() + ["text"]
    private static let address = Value.integer(0...65_535)

    /// Every section of a profile.
    package static let sections: [Section] = [
        top, modbus, mqtt, message, ask, alive, http, request, answer, point, sunspec, field, sum, states, rule,
        comparison, charger, hvac, battery, setpoint, surplus, powerLimit, offset, commands, write, publish,
        requestStep, watchdog, parameter, option,
    ]

    private static let top = Section(
        "profile",
        Key(
            "kind", .choice(DeviceKind.allCases.map(\.rawValue)), "`ev`, `hvac`, `meter`", "needed",
            "what the device is; the same as its folder"),
        Key("vendor", .text, "text", "needed", "who makes it"),
        Key("models", .list(.text), "list of text", "none", "the models it is for"),
        Key(
            "sources", .list(.text), "list of text", "none",
            "where the facts come from, with the month they were read"),
        Key(
            "roles", .list(.choice(MeterRole.allCases.map(\.rawValue))), "list of `grid`, `solar`, `battery`, `load`",
            "all", "what a meter can measure; another `role` in the configuration is refused"),
        Key(
            "protocol", .choice(["modbus", "sunspec"]), "`modbus`, `sunspec`", "`modbus`",
            "`sunspec` where the device says itself where its values are"),
        Key(
            "transport", .choice(["modbus", "mqtt", "http"]), "`modbus`, `mqtt`, `http`", "`modbus`",
            "what carries values and commands; the section of the same name is needed"),
        Key("modbus", .section("modbus"), "mapping", "for `modbus`", "how to speak to it; `{}` takes every default"),
        Key("mqtt", .section("mqtt"), "mapping", "for `mqtt`", "the topics it publishes to"),
        Key("http", .section("http"), "mapping", "for `http`", "the requests it answers"),
        Key(
            "parameters", .named(["parameter"]), "mapping", "none",
            "what differs from home to home within topics, paths and payloads"),
        Key(
            "poll_seconds", .number(0.1...3600), "0.1 to 3600", "10, `mqtt` 2",
            "seconds between two readings; `poll_seconds` of the device in the configuration wins"),
        Key(
            "points", .named(["point", "sunspec", "field", "sum"]), "mapping", "needed",
            "what can be read, and what is computed from it"),
        Key("states", .section("states"), "mapping", "none", "how points become states"),
        Key("charger", .section("charger"), "mapping", "needed for `ev`", "what the charger accepts"),
        Key("hvac", .section("hvac"), "mapping", "needed for `hvac`", "what the heat pump accepts"),
        Key(
            "battery", .section("battery"), "mapping", "for batteries with commands", "what the battery accepts"),
        Key("commands", .section("commands"), "mapping", "none", "what is written"),
        Key("watchdog", .section("watchdog"), "mapping", "none", "how the device's own watchdog is fed"),
        Key("options", .named(["option"]), "mapping", "none", "what differs between units of the same model"))

    private static let modbus = Section(
        "modbus",
        Key(
            "over", .list(.choice(ProfileLine.allCases.map(\.rawValue))), "list of `tcp`, `rtu`", "both",
            "what the device itself has; a serial one can stand behind a gateway"),
        Key("port", .integer(1...65_535), "1 to 65535", "502", "TCP port"),
        Key("unit", .integer(0...255), "0 to 255", "1", "the unit it answers to"),
        Key("baud", .integer(300...115_200), "300 to 115200", "9600", "speed of a serial line"),
        Key(
            "framing", .text, "text", "`8N1`",
            "data bits, parity (N, E, O), stop bits. Quote `\"8E1\"`, which YAML takes for a number"),
        Key("request_delay_ms", .integer(0...10_000), "0 to 10000", "0", "pause between two requests"),
        Key("connect_delay_ms", .integer(0...10_000), "0 to 10000", "0", "pause after connecting"),
        Key(
            "timeout_ms", .integer(50...10_000), "50 to 10000", "2000", "how long it may take to connect and to answer"),
        Key(
            "maximum_registers", .integer(1...125), "1 to 125", "100",
            "registers in one answer; 2 for a device that gives one 32-bit value at a time"),
        Key(
            "maximum_gap", .integer(0...124), "0 to 124", "8",
            "unused registers that one read may span; 0 for a device that refuses them"),
        Key(
            "address_offset", .integer(-65_535...65_535), "whole number", "0",
            "added to every address, where a device has the same registers several times"))

    private static let point = Section(
        "point",
        Key("holding", address, "0 to 65535", "one is needed", "a holding register: its first address"),
        Key("input", address, "0 to 65535", "", "an input register"),
        Key("coil", address, "0 to 65535", "", "a coil"),
        Key("discrete", address, "0 to 65535", "", "a discrete input"),
        Key("type", .choice(types), "below", "`u16`; `bit` for `coil` and `discrete`", "how words become a value"),
        Key("words", .integer(1...64), "1 to 64", "1", "length of a `text`, two characters a word"),
        Key(
            "word_order", .choice(WordOrder.allCases.map(\.rawValue)), "`big`, `little`", "`big`",
            "whether the highest or the lowest word comes first"),
        Key(
            "byte_order", .choice(ByteOrder.allCases.map(\.rawValue)), "`big`, `little`", "`big`",
            "`little` where the two bytes of each word are swapped"),
        Key(
            "bits", .bits, "a bit, or two", "all",
            "the bits that are the number, 0 being the lowest: `8`, or `[8, 14]` with both ends; compared with `unavailable` before"
        ),
        Key(
            "values", .codes, "mapping", "none",
            "what codes mean: `{0: idle, 3: charging}` makes the point a text for `states`, `{0: 1, 1: 3}` a number; any other code is not available"
        ),
        Key(
            "scale", .factor, "number, not 0, or a fraction as `1/256`", "1",
            "the size of one raw unit in the unit of the quantity; negative where the sign is the other way"),
        Key(
            "scale_point", .text, "point", "none",
            "a point with the power of ten to multiply by (a scale factor), read together with this one; while it is not available, neither is the value"
        ),
        Key("offset", .number(-1e9...1e9), "number", "0", "added after scaling"),
        Key(
            "unavailable", .list(.raw), "list of raw numbers", "none",
            "what the device sends when it does not know, before scaling: `[0x8000]`. Quote 16 digits: `[\"0xFFFFFFFFFFFFFFFF\"]`"
        ),
        Key(
            "when_unavailable", .number(-1e9...1e9), "number", "none",
            "the value to take then, only where it is known: 0 W for a solar inverter that sleeps"),
        Key(
            "valid", .range, "two numbers", "any",
            "the values that can be right, as in `[0, 100]`; others are not available"),
        Key(
            "quantity", .choice(Quantity.allCases.map(\.rawValue)), "below", "none",
            "what it means to the hub; each quantity once"),
        Key(
            "estimated", .flag, "`true`, `false`", "`false`",
            "`true` where the device gives something near, such as apparent power"))

    private static let sunspec = Section(
        "sunspec",
        Key(
            "model", .some(.integer(1...65_535)), "number, or a list", "needed",
            "the SunSpec models that have the value; the first one that the device has is taken"),
        Key("point", .text, "text", "needed", "its name in these models, such as `W`"),
        Key(
            "group", .integer(1...100), "1 to 100", "none",
            "which of the parts that repeat, such as the inputs of model 160"),
        Key("instance", .integer(1...100), "1 to 100", "1", "which of several models of the same number"),
        Key("optional", .flag, "`true`, `false`", "`false`", "`true` where a device without it is none the worse"),
        Key("values", .codes, "mapping", "none", "as of registers"),
        Key("scale", .factor, "as of registers", "1", "in addition to the scale factor of the model"),
        Key("offset", .number(-1e9...1e9), "number", "0", "added after scaling"),
        Key(
            "unavailable", .list(.raw), "list of raw numbers", "none",
            "in addition to what the standard has for \"not implemented\""),
        Key("when_unavailable", .number(-1e9...1e9), "number", "none", "as of registers"),
        Key("valid", .range, "two numbers", "any", "as of registers"),
        Key("quantity", .choice(Quantity.allCases.map(\.rawValue)), "below", "none", "what it means to the hub"),
        Key("estimated", .flag, "`true`, `false`", "`false`", "as of registers"))

    private static let sum = Section(
        "sum",
        Key(
            "sum", .list(.text), "list of terms", "needed",
            "points of this profile, each with `-` before it to subtract, or multiplied: `[import, -export]`, `[voltage_l1 * current_l1]`. A product is an estimate"
        ),
        Key("when", .conditions, "conditions", "always", "when the sum counts, as in `states`"),
        Key("otherwise", .number(-1e9...1e9), "number", "not available", "the value while `when` does not hold"),
        Key(
            "skip_unavailable", .flag, "`true`, `false`", "`false`",
            "whether terms that are not available are left out; otherwise one of them makes the sum not available"),
        Key("quantity", .choice(Quantity.allCases.map(\.rawValue)), "below", "none", "what it means to the hub"))
}
