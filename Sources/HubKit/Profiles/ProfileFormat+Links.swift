extension ProfileFormat {
    static let mqtt = Section(
        "mqtt",
        Key("topic", .text, "text", "the person's", "what `{topic}` stands for where the configuration names no topic"),
        Key(
            "messages", .named(["message"]), "mapping", "needed",
            "the topics the device publishes to, by a name of yours"),
        Key("alive", .section("alive"), "mapping", "none", "where it says whether it is there, such as its last will"),
        Key(
            "stale_seconds", .number(1...86_400), "1 to 86400", "120",
            "after how long without a message a value is no longer a reading; for all messages"))

    static let message = Section(
        "message",
        Key("topic", .text, "text", "needed", "one topic, with placeholders such as `{topic}`"),
        Key("stale_seconds", .number(1...86_400), "1 to 86400", "that of `mqtt`", "for this message"),
        Key(
            "holds", .flag, "`true`, `false`", "`false`",
            "`true` for what is said only when it changes: it then holds as long as the device is there, also where the broker kept it"
        ),
        Key(
            "time", .text, "path", "none",
            "where the message says when it was made. What the broker kept counts by this time; without it, it counts only where it `holds`"
        ),
        Key("ask", .section("ask"), "mapping", "none", "what makes the device say it"),
        Key(
            "optional", .flag, "`true`, `false`", "`false`",
            "`true` where a device that never says it is none the worse"))

    static let ask = Section(
        "ask",
        Key("topic", .text, "text", "needed", "where the question goes"),
        Key("payload", .text, "text", "empty", "the question"),
        Key(
            "every_seconds", .number(1...86_400), "1 to 86400", "60",
            "how often, while the device does not speak by itself"))

    static let alive = Section(
        "alive",
        Key("topic", .text, "text", "needed", "the topic"),
        Key("at", .text, "path", "none", "the path to the word, where the payload is JSON"),
        Key("online", .list(.anything), "list", "needed", "the words for \"there\"; any other means that it is gone"))

    static let http = Section(
        "http",
        Key("requests", .named(["request"]), "mapping", "needed", "what is asked at each reading, by a name of yours"),
        Key(
            "login", .list(.choice(ProfileLogin.allCases.map(\.rawValue))),
            "list of `none`, `basic`, `digest`, `bearer`, `token`", "`[none]`",
            "how the device wants to know who asks; the first that fits what the configuration gives is taken. `token` is a token alone in `Authorization`, `bearer` one behind the word `Bearer`"
        ),
        Key("headers", .texts, "mapping", "none", "header fields that every request needs, each in one line"),
        Key("timeout_ms", .integer(50...10_000), "50 to 10000", "5000", "how long it may take to answer"),
        Key(
            "errors", .texts, "mapping", "none",
            "what a status means, and how to mend it: `{403: \"switch the local API on\"}`"))

    static let request = Section(
        "request",
        Key("path", .text, "text", "needed", "the path with its query, with placeholders"),
        Key(
            "method", .choice(["GET", "POST", "PUT", "PATCH"]), "`GET`, `POST`, `PUT`, `PATCH`", "`GET`", "the method"),
        Key("body", .text, "text", "none", "the body, with placeholders"),
        Key(
            "every_seconds", .number(1...86_400), "1 to 86400", "each reading",
            "how often, where that is less than the device is read; the values stay until then"),
        Key("time", .text, "path", "none", "where the answer says when its values were measured"),
        Key(
            "stale_seconds", .number(1...86_400), "1 to 86400", "120", "the age by `time` at which they are no reading"),
        Key(
            "answer", .section("answer"), "mapping", "none",
            "what the answer must have, for devices that say \"no\" with 200"))

    static let answer = Section(
        "answer",
        Key("at", .text, "path", "needed", "the path"),
        Key("is", .some(.anything), "value, or a list", "needed", "the values for \"yes\""))

    static let field = Section(
        "field",
        Key("from", .text, "text", "needed", "the message or request that brings the value"),
        Key(
            "at", .text, "path", "the whole payload",
            "where it stands in JSON: `emeters[0].power`, `[\"a name\"].value`, `meters[type=net].now`"),
        Key(
            "type", .choice(["number", "text"]), "`number`, `text`", "`number`",
            "what it is; a number may stand in a text"),
        Key(
            "values", .codes, "mapping", "none",
            "what words, codes and truths mean: `{ON: 1, OFF: 0}`, `{true: closed}`; any other is not available"),
        Key(
            "unavailable", .list(.anything), "list", "none",
            "what the device sends when it does not know; `null` always is"),
        Key(
            "optional", .flag, "`true`, `false`", "`false`",
            "`true` where a device that leaves it out is none the worse"),
        Key("scale", .factor, "as of registers", "1", "as of registers: `1000` for kW"),
        Key("offset", .number(-1e9...1e9), "number", "0", "added after scaling"),
        Key("when_unavailable", .number(-1e9...1e9), "number", "none", "as of registers"),
        Key("valid", .range, "two numbers", "any", "as of registers"),
        Key("quantity", .choice(Quantity.allCases.map(\.rawValue)), "below", "none", "what it means to the hub"),
        Key("estimated", .flag, "`true`, `false`", "`false`", "as of registers"))

    static let publish = Section(
        "publish",
        Key("topic", .text, "text", "needed", "where the message goes, with placeholders"),
        Key("payload", .text, "text", "needed", "what; `{value}` is the number: `{\"current\": {value}}`"),
        Key("retained", .flag, "`true`, `false`", "`false`", "whether the broker keeps it"),
        Key("scale", .factor, "as of points", "1", "the number sent = argument / `scale`"),
        Key("decimals", .integer(0...6), "0 to 6", "3", "digits after the point, at most"),
        Key("value_of", .text, "point", "the argument", "what was last read from this point instead"),
        Key("allowed", .range, "two numbers", "any", "as of registers"))

    static let requestStep = Section(
        "request_step",
        Key("path", .text, "text", "needed", "the path with its query; `{value}` is the number"),
        Key(
            "method", .choice(["GET", "POST", "PUT", "PATCH"]), "`GET`, `POST`, `PUT`, `PATCH`",
            "`POST` with a body, else `GET`", "the method"),
        Key("body", .text, "text", "none", "the body; `{value}` is the number"),
        Key("media_type", .text, "text", "`application/json`", "what the body is"),
        Key("answer", .section("answer"), "mapping", "none", "what the answer must have"),
        Key("scale", .factor, "as of points", "1", "the number sent = argument / `scale`"),
        Key("decimals", .integer(0...6), "0 to 6", "3", "digits after the point, at most"),
        Key("value_of", .text, "point", "the argument", "what was last read from this point instead"),
        Key("allowed", .range, "two numbers", "any", "as of registers"))

    static let parameter = Section(
        "parameter",
        Key("about", .text, "text", "needed", "what it is"),
        Key(
            "default", .anything, "value", "the person's", "what holds where the configuration says nothing"))
}
