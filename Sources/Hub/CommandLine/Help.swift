import Foundation

/// What the program says about itself.
enum Help {
    /// One subcommand.
    struct Command {
        var name: String
        var usage: String
        var summary: String
        var details: [String] = []

        var text: String {
            (["usage: offpeak \(usage)", "", summary] + (details.isEmpty ? [] : [""] + details)).joined(separator: "\n")
        }
    }

    static let commands = [
        Command(
            name: "run", usage: "run --config FILE",
            summary: "The hub, in the foreground; made for systemd (Type=notify).",
            details: [
                "--config FILE   the configuration",
                "--share DIR     profiles and page, where they are not found by themselves",
                "--log LEVEL     debug, info (standard), notice, warning or error",
            ]),
        Command(
            name: "demo", usage: "demo [--port N] [--speed X] [--data DIR] [--seed N]",
            summary: "The hub with a virtual house on real protocols: no device, account or broker is needed.",
            details: [
                "--port N      where the page is, 8484 by itself",
                "--speed X     seconds of the house for each real second, 60 by itself; 600 runs a day in minutes",
                "--data DIR    keeps everything there and goes on from it; without it all is forgotten at the end",
                "--seed N      another house, the same each time",
                "--mqtt HOST:PORT  shows the house on an MQTT broker too",
                "--start TIME  where the house begins, such as 2024-04-04T22:00:00+02:00",
                "--log LEVEL   debug, info, notice (standard), warning or error",
                "--share DIR   profiles and page, where they are not found by themselves",
            ]),
        Command(
            name: "check", usage: "check FILE [--json]",
            summary:
                "Checks a configuration and everything it names: profiles, series and secrets; all faults in one go.",
            details: [
                "Speaks to no device and writes nothing. Each fault stands on a line of its own on standard error:",
                "    FILE:LINE:COLUMN: error: the.keys[0].to.it: what is wrong; how to mend it",
                "Without faults it says what the house is, and warns of what is allowed but odd, in the same form.",
                "Exit status: 0 no fault, perhaps warnings; 2 faults.", "",
                "--json        faults and warnings as a JSON object on standard output",
                "--share DIR   profiles, where they are not found by themselves",
            ]),
        Command(name: "drivers", usage: "drivers [--json]", summary: "The drivers this hub is built with."),
        Command(
            name: "profiles", usage: "profiles [--driver ev|hvac|meter] [--json]",
            summary: "The device types that are known.",
            details: [
                "--folder DIR  a folder of your own profiles too",
                "--schema      the JSON schema of a profile, for editors",
                "--reference   every key of a profile, in words",
            ]),
        Command(
            name: "read", usage: "read DEVICE --config FILE [--json]",
            summary: "Reads one device once and shows the raw registers behind each value."),
        Command(name: "venues", usage: "venues [--json]", summary: "The homes of the running hub.", details: client),
        Command(
            name: "guidance", usage: "guidance VENUE [--action shift|reduce] [--follow] [--json]",
            summary: "The ratings of the coming hours, from the running hub. VENUE is a name or identifier.",
            details: client),
        Command(
            name: "plan", usage: "plan --problem FILE [--json] [--deadline SECONDS]",
            summary: "Solves one planning problem and prints the schedule; needs no hub."),
        Command(
            name: "rate", usage: "rate --input FILE [--json]",
            summary: "Ratings for given price and carbon series; needs no hub."),
        Command(
            name: "import",
            usage: "import --source NAME [--area A] [--field F] [--time-zone Z] [--vat included|excluded] FILE",
            summary: "Decodes a provider's payload into the common series; needs no hub.",
            details: [
                "--currency CODE     the currency wanted, where a payload has several",
                "--peak-watts N      the solar system's peak power, for sources that give radiation",
                "--kind K --unit U   with --source url: price, carbon or solar, and the unit of the values, with the paths",
                "--source openei [--index N], --source acnportal   print a tariff as rate_plan of a configuration",
                "--rows P --start P --end P --value P   of the document's rows and of what stands in a row",
            ]),
        Command(
            name: "sources", usage: "sources [PROVIDER] [--providers] [--json]",
            summary: "Providers of prices, carbon and solar forecasts, and how those of the running hub are doing.",
            details: ["--providers  without asking the running hub"] + client),
        Command(
            name: "events", usage: "events [--device D] [--since T] [--format json|csv] [--limit N] [--data DIR]",
            summary:
                "Load events in the order they were accepted, from the running hub or with --data straight from its store.",
            details: client),
        Command(
            name: "outbox",
            usage: "outbox [list | dead SINK | resend SINK [EVENT…] | replay SINK [--since T] | retry SINK] [--json]",
            summary:
                "What waits for which sink of the running hub, what a sink refused for good, and sending it again.",
            details: [
                "list      every sink with its queue (standard)",
                "dead      the events that the sink refused for good, with the reason; --limit N of them",
                "resend    puts them back into its queue: all, or the given ones",
                "replay    puts the past into its queue: all events, or those since T; for a sink that was added later",
                "retry     tries a sink that waits after a failure at once",
            ] + client),
        Command(
            name: "token",
            usage: "token create|list|revoke [ID] [--role viewer|operator|admin] [--label TEXT] --config FILE",
            summary: "Access tokens; 'create' prints the new one alone on its last line. It is shown this once only."),
        Command(
            name: "backup", usage: "backup FILE --config FILE",
            summary: "Copies the store into a file, also while the hub runs."),
    ]

    private static let client = [
        "OFFPEAK_URL says where the hub is (http://127.0.0.1:8484 by itself), OFFPEAK_TOKEN holds an access token where it needs one."
    ]

    static var overview: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { "  \($0.name.padding(toLength: width, withPad: " ", startingAt: 0))  \($0.summary)" }
        return
            (["usage: offpeak SUBCOMMAND …", ""] + lines + [
                "", "'offpeak SUBCOMMAND --help' shows the options. Exit status: 0 success, 1 failed while running,",
                "2 wrong usage or configuration, 3 a permanent refusal, 75 try again later.",
            ]).joined(separator: "\n")
    }
}
