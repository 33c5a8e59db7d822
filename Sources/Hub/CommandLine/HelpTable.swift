extension Help {
    private static let share = Option(
        "share", "DIR", "the folder of profiles and page, where it is not found by itself")
    private static let json = Option("json", nil, "the answer as JSON")

    private static func config(_ what: String = "the configuration") -> Option {
        Option("config", "FILE", "\(what) (/etc/offpeak/offpeak.yaml)")
    }

    private static func log(_ standard: String) -> Option {
        Option("log", "LEVEL", "how much is logged: debug, info, notice, warning or error (\(standard))")
    }

    private static let client = [
        "OFFPEAK_URL says where the hub is: http://HOST:PORT, https://HOST or unix:/PATH (the hub's own socket if you may open it, otherwise http://127.0.0.1:8484). OFFPEAK_TOKEN holds an access token where it needs one, or OFFPEAK_TOKEN_FILE names a file with it."
    ]

    /// Every subcommand; in round brackets what holds where an option is not given.
    static let commands = [
        run, demo, check, drivers, profiles, probe, read, record, replay, report, venues, guidance, whatIf, events,
        outbox, collect, sources, plan, rate, importing,
        token,
        backup,
    ]

    private static let run = Command(
        name: "run", summary: "The hub, in the foreground; made for systemd (Type=notify).",
        options: [config(), share, log("info")], examples: ["offpeak run --config etc/offpeak.yaml"])

    private static let demo = Command(
        name: "demo",
        summary: "The hub with a virtual house on real protocols: no device, account or broker is needed.",
        options: [
            Option("port", "N", "the port of the page on 127.0.0.1, 0 to 65535; 0 takes a free one (8484)"),
            Option(
                "speed", "X", "seconds of the house for each real second, 0.01 to 5000; 600 runs a day in minutes (60)"),
            Option("data", "DIR", "keeps everything there and goes on from it (all is forgotten at the end)"),
            Option("mqtt", "HOST:PORT", "shows the house on an MQTT broker too (none)"),
            Option("base", "TOPIC", "the base topic there, for a broker with another hub (offpeak)"),
            Option("seed", "N", "another house, the same each time; a whole number from 0 (1)"),
            Option("start", "TIME", "where the house begins (2024-04-05T12:30:00+02:00)"), share, log("notice"),
        ], examples: ["offpeak demo --speed 600", "offpeak demo --port 0 --data ~/house"])

    private static let check = Command(
        name: "check", arguments: "FILE",
        summary: "Checks a configuration and everything it names: profiles, series and secrets; all faults in one go.",
        options: [share, Option("json", nil, "faults and warnings as a JSON object on standard output")],
        details: [
            "Speaks to no device and writes nothing. Each fault stands on a line of its own on standard error:",
            "FILE:LINE:COLUMN: error: the.keys[0].to.it: what is wrong; how to mend it",
            "Without faults it says what the house is, and warns of what is allowed but odd, in the same form. Exit status: 0 no fault, perhaps warnings; 2 faults.",
        ], examples: ["offpeak check etc/offpeak.yaml"])

    private static let drivers = Command(
        name: "drivers", summary: "The drivers this hub is built with.", options: [json])

    private static let profiles = Command(
        name: "profiles", summary: "The device types that are known.",
        options: [
            Option("driver", "ev|hvac|meter", "only those of one driver (all)"),
            Option("folder", "DIR", "a folder of your own profiles too"), share, json,
            Option("schema", nil, "the JSON schema of a profile instead, for editors"),
            Option("reference", nil, "every key of a profile instead, in words"),
        ], examples: ["offpeak profiles --driver ev"])

    private static let read = Command(
        name: "read", arguments: "DEVICE",
        summary: "Reads one device once and shows the raw registers or messages behind each value; needs no hub.",
        options: [config("the configuration that has the device"), share, json],
        examples: ["offpeak read wallbox --config etc/offpeak.yaml"])

    private static let probe = Command(
        name: "probe", arguments: "tcp://HOST:PORT",
        summary:
            "Finds out what a Modbus device is, and prints the lines of a configuration to use it; needs no hub.",
        options: [
            Option("unit", "N", "only this unit, 0 to 255 (all that devices usually have)"), share, json,
        ],
        details: [
            "It only reads: it looks for SunSpec, and tries every profile. What fits best comes first; compare its values with the device's display before you use the lines."
        ], examples: ["offpeak probe tcp://192.0.2.7:502", "offpeak probe 192.0.2.7 --unit 3 --json"])

    private static let record = Command(
        name: "record", arguments: "DEVICE FILE",
        summary: "Reads a device for a while and writes what is really said into a file; needs no hub.",
        options: [
            config("the configuration that has the device"),
            Option("seconds", "S", "for how long, 0 to 86400; 0 is one reading (60)"), share,
        ],
        details: [
            "It only reads the device. Logins and addresses are not in the file, and what looks private is taken out of what the device says; look it over before you give it away."
        ], examples: ["offpeak record wallbox wallbox.jsonl --config etc/offpeak.yaml"])

    private static let replay = Command(
        name: "replay", arguments: "FILE",
        summary: "A virtual device on this machine that answers from a recording, until Ctrl-C; needs no hub.",
        options: [
            Option("port", "N", "the port on 127.0.0.1, 0 to 65535; 0 takes a free one (0)"),
            Option("speed", "X", "seconds of the recording for each real second, 0.01 to 1000 (1)"),
            Option("broker", "HOST:PORT", "the broker to speak at, for a recording of messages"),
            Option("topic", "T", "what the device calls itself there (its profile's topic, or replayed)"), share,
        ],
        details: ["Prints the lines of a configuration that reach it. After its end the last values stay."],
        examples: ["offpeak replay wallbox.jsonl --port 1502"])

    private static let report = Command(
        name: "report", arguments: "DEVICE",
        summary: "A problem report about one device, without names, addresses and secrets; needs no hub.",
        options: [config("the configuration that has the device"), share],
        details: [
            "Reads the device once. It has the program's version, the device's profile and how it is reached, each value with the raw registers or messages behind it, and all that was said."
        ], examples: ["offpeak report wallbox > report.md"])

    private static let venues = Command(
        name: "venues", summary: "The homes of the running hub.", options: [json], details: client)

    private static let guidance = Command(
        name: "guidance", arguments: "VENUE",
        summary: "The ratings of the coming hours, from the running hub. VENUE is a name or identifier.",
        options: [
            Option("action", "shift|reduce", "when to run what can wait, or when to draw less (shift)"),
            Option("follow", nil, "goes on, with each new guidance; Ctrl-C ends it"), json,
        ], details: client, examples: ["offpeak guidance Home", "offpeak guidance Home --action reduce --follow"])

    private static let whatIf = Command(
        name: "what-if", arguments: "DEVICE",
        summary: "What the running hub would plan for a charger with another goal; nothing is changed.",
        options: [
            Option("ready-by", "TIME", "by when, such as 2026-03-29T07:00:00+02:00", isRequired: true),
            Option("energy-kwh", "N", "what is to be charged, in kWh at the meter, 0 to 1000"),
            Option("state-of-charge", "N", "instead of an energy: the charge to reach, in percent"), json,
        ], details: client,
        examples: ["offpeak what-if car --energy-kwh 12 --ready-by 2026-03-29T07:00:00+02:00"])

    private static let events = Command(
        name: "events",
        summary: "Load events in the order they were accepted, from the running hub or straight from its store.",
        options: [
            Option("device", "D", "only this device's (all)"),
            Option("since", "TIME", "only from this time on, such as 2026-03-29T00:00:00Z (all)"),
            Option("format", "json|csv", "how they are written (json)"),
            Option("limit", "N", "how many at most, from 1 (all)"),
            Option("data", "DIR", "reads the store of this data folder; needs no hub"),
            Option("json", nil, "the same as --format json"),
        ], details: client,
        examples: ["offpeak events --device car --format csv", "offpeak events --data /var/lib/offpeak"])

    private static let outbox = Command(
        name: "outbox",
        usage:
            "outbox [list | dead SINK | resend SINK [EVENT…] | replay SINK | retry SINK] [--since TIME] [--limit N] [--after N] [--json]",
        summary: "What waits for which sink of the running hub, what a sink refused for good, and sending it again.",
        options: [
            Option("since", "TIME", "for replay: only what happened from this time on (all)"),
            Option("limit", "N", "for dead: how many events, 1 to 1000 (100)"),
            Option("after", "N", "for dead: only events after this one, of the page before"),
            Option("json", nil, "for list and dead: the answer as JSON"),
        ],
        details: [
            "list shows every sink with its queue, and is what happens without a word. dead shows the events that the sink refused for good, with the reason. resend puts them back into its queue: all, or those named. replay puts the past into its queue, for a sink that was added later. retry tries a sink that waits after a failure at once."
        ] + client,
        examples: ["offpeak outbox", "offpeak outbox dead webhook", "offpeak outbox resend webhook 17 18"])

    private static let collect = Command(
        name: "collect",
        summary: "Takes the load events of many homes from MQTT brokers into a PostgreSQL database; needs no hub.",
        options: [
            Option(
                "brokers", "HOST:PORT,…", "the broker, or the nodes of a cluster, of which it is at one at a time",
                isRequired: true),
            Option("database", "URL", "postgresql://USER@HOST:PORT/NAME", isRequired: true),
            Option("database-password-file", "FILE", "a file with that user's password (none)"),
            Option("schema", "S", "the schema of its tables (public)"),
            Option("filter", "TOPIC", "where events come; what stands before /events is the home (+/events)"),
            Option("user", "U", "whom to log in as at the brokers (nobody)"),
            Option("password-file", "FILE", "a file with that user's password (none)"),
            Option("tls", nil, "speaks to the brokers over TLS, as the files below ask for too"),
            Option("ca-file", "FILE", "the authorities to trust, in PEM (those of the system)"),
            Option("certificate-file", "FILE", "its own certificate, for brokers that ask for one (none)"),
            Option("key-file", "FILE", "the key of that certificate, without a passphrase (none)"),
            Option(
                "name", "N",
                "its name at the brokers, which keep for it what comes while it is away (offpeak-collector)"),
        ],
        details: [
            "Runs until it is asked to end. A message is acknowledged when its event is committed, and an event that comes twice is there once; what is no event goes into a table of its own. It speaks MQTT 3.1.1. docs/fleet.md describes all of it."
        ],
        examples: ["offpeak collect --brokers a:1883,b:1883 --database postgresql://u@db/fleet"])

    private static let plan = Command(
        name: "plan", summary: "Solves one planning problem and prints the schedule; needs no hub.",
        options: [
            Option("problem", "FILE", "the problem as JSON; - is standard input", isRequired: true),
            Option(
                "deadline", "SECONDS",
                "when an answer has to be there, perhaps not the best one, 0.001 to 3600 (as the problem's kind needs)"),
            json,
        ],
        details: [
            "Energy that a car will lack is said, and no failure. Where no schedule keeps the limits, the one that breaks them least is shown, with exit status 3."
        ], examples: ["offpeak plan --problem night.json --json"])

    private static let rate = Command(
        name: "rate", summary: "Ratings for given price and carbon series; needs no hub.",
        options: [Option("input", "FILE", "the series as JSON; - is standard input", isRequired: true), json],
        examples: ["offpeak rate --input series.json"])

    private static let sources = Command(
        name: "sources", arguments: "[PROVIDER]",
        summary: "Providers of prices, carbon and solar forecasts, and how those of the running hub are doing.",
        options: [Option("providers", nil, "the providers alone, without asking the running hub"), json],
        details: client, examples: ["offpeak sources", "offpeak sources energy-charts"])

    private static let importing = Command(
        name: "import", arguments: "FILE",
        summary: "Decodes a provider's payload into the common series, as JSON; needs no hub.",
        options: [
            Option("source", "NAME", "the provider; without it the names are listed", isRequired: true),
            Option("area", "A", "zone, region, postcode or id, where the payload holds several"),
            Option("field", "F", "the series, where the payload holds several"),
            Option("time-zone", "Z", "the zone of times without offset, such as Europe/Berlin (the provider's)"),
            Option("vat", "WORD", "included or excluded: whether prices are to hold the tax (as the payload has them)"),
            Option("currency", "CODE", "the currency wanted, such as EUR, where a payload has several"),
            Option("peak-watts", "N", "the solar system's peak power in watts, for sources that give radiation"),
            Option("index", "N", "with --source openei: which of the file's tariffs, from 0 (0)"),
            Option("kind", "K", "with --source url: price, carbon or solar"),
            Option("unit", "U", "with --source url: the unit of the values, such as EUR/kWh"),
            Option(
                "rows", "PATH",
                "with --source url: where the document's rows are (the document itself, if it is a list; otherwise start and value are two lists)"
            ),
            Option("start", "PATH", "with --source url: a row's start (start)"),
            Option("end", "PATH", "with --source url: a row's end (the next row's start)"),
            Option("value", "PATH", "with --source url: a row's value (value)"),
            Option("json", nil, "the answer is JSON in any case"),
        ],
        details: [
            "FILE may be -, standard input. --source url reads any JSON by paths; home-assistant does the same. openei and acnportal are tariffs: they are printed as rate_plan of a configuration."
        ],
        examples: ["offpeak import --source energy-charts prices.json"])

    private static let token = Command(
        name: "token",
        usage: "token create|list|revoke [ID] [--role viewer|operator|admin] [--label TEXT] [--config FILE] [--json]",
        summary: "Access tokens; 'create' prints the new one alone on its last line. It is shown this once only.",
        options: [
            Option("role", "ROLE", "for create: viewer reads, operator also changes, admin may everything (operator)"),
            Option("label", "TEXT", "for create: what it is for (made on the command line)"),
            config("the configuration of the hub"), Option("json", nil, "for list: as JSON"),
        ],
        examples: ["offpeak token create --role viewer --label phone", "offpeak token list", "offpeak token revoke 3"])

    private static let backup = Command(
        name: "backup", arguments: "FILE", summary: "Copies the store into a new file, also while the hub runs.",
        options: [config("the configuration of the hub")], examples: ["offpeak backup /mnt/offpeak-copy.sqlite"])
}
