extension ProfileFormat {
    private static let oneOrMore = Value.steps(["write", "publish", "request_step"])

    static let commands = Section(
        "commands",
        Key("current", oneOrMore, "writes", "none", "offer the amps for each phase; without `pause` also 0"),
        Key("pause", oneOrMore, "writes", "none", "stop charging"),
        Key("resume", oneOrMore, "writes", "none", "allow it again; follows each `current`"),
        Key("one_phase", oneOrMore, "writes", "none", "charge on one phase; only while charging is paused"),
        Key("three_phases", oneOrMore, "writes", "none", "charge on three"),
        Key("setpoint", oneOrMore, "writes", "none", "heat or cool to the °C"),
        Key(
            "normal", oneOrMore, "writes", "none",
            "load state; between the two others the hub always passes through it"),
        Key("reduced", oneOrMore, "writes", "none", "load state: less"),
        Key("boosted", oneOrMore, "writes", "none", "load state: more"),
        Key(
            "forced", oneOrMore, "writes", "none",
            "load state: run, whether it wants to or not, as by mode 4 of SG Ready"),
        Key("offset", oneOrMore, "writes", "none", "shift its own setpoint by the kelvin"),
        Key("no_offset", oneOrMore, "writes", "none", "back to its own setpoint; without it `offset` takes 0"),
        Key("surplus", oneOrMore, "writes", "none", "use the watts of own surplus; 0 is none"),
        Key("power_limit", oneOrMore, "writes", "none", "draw no more than the watts"),
        Key("no_power_limit", oneOrMore, "writes", "none", "draw what it wants again"),
        Key(
            "stage_0", oneOrMore, "writes", "none",
            "switch to the lowest step of `stages`; `stage_1` to `stage_7` to the next ones"),
        Key("stage_1", oneOrMore, "writes", "none", "the second step"),
        Key("stage_2", oneOrMore, "writes", "none", "the third step"),
        Key("stage_3", oneOrMore, "writes", "none", "the fourth step"),
        Key("stage_4", oneOrMore, "writes", "none", "the fifth step"),
        Key("stage_5", oneOrMore, "writes", "none", "the sixth step"),
        Key("stage_6", oneOrMore, "writes", "none", "the seventh step"),
        Key("stage_7", oneOrMore, "writes", "none", "the eighth step"),
        Key("automatic", oneOrMore, "writes", "none", "a home battery follows the house"),
        Key("hold", oneOrMore, "writes", "none", "a home battery gives nothing"),
        Key("charge", oneOrMore, "writes", "none", "a home battery charges with the watts, from the grid too"),
        Key(
            "prepare", oneOrMore, "writes", "none",
            "before the first command, and before the next one after the device was away: such as switching stand-by off"
        ))
}
