import Foundation
import HubKit
import TestSupport
import Testing
import YAML

/// Every fault of a profile is said with its place and a remedy.
@Suite struct ProfileFaultTests {
    struct BadFile: Sendable, CustomTestStringConvertible {
        let what: String
        let text: String
        let errors: [String]
        var testDescription: String { what }

        init(_ what: String, _ text: String, _ errors: String...) {
            self.what = what
            self.text = text
            self.errors = errors
        }
    }

    static let head = "kind: meter\nvendor: Acme\nmodbus: {}\n"

    /// A profile whose only point is `point`, on line 5 from column 6 on.
    private static func point(_ point: String) -> String { head + "points:\n  p: \(point)\n" }

    /// A charger's profile with a number `n` and a text `t`, and more from line 8 on.
    static func charger(_ rest: String) -> String {
        "kind: ev\nvendor: Acme\nmodbus: {}\ncharger: {maximum_amps: 16}\npoints:\n  n: {holding: 1}\n"
            + "  t: {holding: 2, type: text}\n\(rest)\n"
    }

    static let files = [
        BadFile(
            "nothing", "",
            "p.yaml:1:1: error: expected a mapping, found nothing; write lines such as 'key: value' below it"),
        BadFile(
            "no keys that every profile needs", "points: {p: {input: 1}}\n",
            "p.yaml:1:1: error: missing key 'kind'; add a line 'kind: …'",
            "p.yaml:1:1: error: missing key 'vendor'; add a line 'vendor: …'",
            "p.yaml:1:1: error: missing key 'modbus'; add a line 'modbus: …'"),
        BadFile(
            "an unknown kind", "kind: evs\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\n",
            "p.yaml:1:7: error: kind: unknown value 'evs'; did you mean 'ev'? Known: ev, hvac, meter"),
        BadFile("no points", head, "p.yaml:1:1: error: missing key 'points'; name at least one value that can be read"),
        BadFile(
            "points as a list", head + "points: [1]\n",
            "p.yaml:4:9: error: points: 'points' should be a mapping of names to registers; such as {power: {holding: 1020}}"
        ),
        BadFile(
            "empty points", head + "points: {}\n",
            "p.yaml:4:9: error: points: 'points' is empty; name at least one value that can be read"),
        BadFile(
            "a misspelt key", head + "poll_second: 5\npoints: {p: {input: 1}}\n",
            "p.yaml:4:1: error: poll_second: unknown key 'poll_second'; did you mean 'poll_seconds'?"),
        BadFile(
            "a port that is none", "kind: meter\nvendor: Acme\nmodbus: {port: 70000}\npoints: {p: {input: 1}}\n",
            "p.yaml:3:16: error: modbus.port: 70000 is out of range; write a whole number from 1 to 65535"),
        BadFile(
            "a framing that is none", "kind: meter\nvendor: Acme\nmodbus: {framing: 8X1}\npoints: {p: {input: 1}}\n",
            "p.yaml:3:19: error: modbus.framing: '8X1' is no framing; data bits, parity and stop bits, such as 8N1 or \"8E1\""
        ),
        BadFile(
            "no address", point("{type: u16}"),
            "p.yaml:5:6: error: points.p: exactly one of holding, input, coil, discrete should give the address; such as {holding: 1020}"
        ),
        BadFile(
            "two addresses", point("{holding: 1, input: 1}"),
            "p.yaml:5:6: error: points.p: exactly one of holding, input, coil, discrete should give the address; such as {holding: 1020}"
        ),
        BadFile(
            "an address that is none", point("{holding: 65536}"),
            "p.yaml:5:16: error: points.p.holding: 65536 is out of range; write a whole number from 0 to 65535"),
        BadFile(
            "a value past the last address", point("{holding: 65535, type: u32}"),
            "p.yaml:5:16: error: points.p.holding: a u32 at 65535 passes the last address; the last is 65535"),
        BadFile(
            "an unknown type", point("{holding: 1, type: int}"),
            "p.yaml:5:25: error: points.p.type: unknown type 'int'; one of bit, f32, f64, i16, i32, i64, text, u16, u32, u64"
        ),
        BadFile(
            "two faults in one point", point("{holding: 70000, type: u99}"),
            "p.yaml:5:16: error: points.p.holding: 70000 is out of range; write a whole number from 0 to 65535",
            "p.yaml:5:29: error: points.p.type: unknown type 'u99'; one of bit, f32, f64, i16, i32, i64, text, u16, u32, u64"
        ),
        BadFile(
            "a point at fault that others name",
            charger(
                "  q: {holding: 3, type: u99}\n  s: {sum: [q, -n]}\n  r: {holding: 4, scale_point: q}\n"
                    + "states: {plug: [{when: {q: {starts_with: B}}, is: plugged}]}\n"
                    + "watchdog: {period_point: q, feed: {holding: 9, value_of: q}}"),
            "p.yaml:8:25: error: points.q.type: unknown type 'u99'; one of bit, f32, f64, i16, i32, i64, text, u16, u32, u64"
        ),
        BadFile(
            "words of a number", point("{holding: 1, type: u32, words: 4}"),
            "p.yaml:5:37: error: points.p.words: 'words' is for text only; a u32 takes 2; leave it out"),
        BadFile(
            "a number in a coil", point("{coil: 1, type: u16}"),
            "p.yaml:5:22: error: points.p.type: a coil is no u16; leave out 'type'"),
        BadFile(
            "a bit in a register", point("{holding: 1, type: bit}"),
            "p.yaml:5:25: error: points.p.type: a holding is no bit; use u16, and compare it with 0 or 1"),
        BadFile(
            "a scale of nothing", point("{holding: 1, scale: 0}"),
            "p.yaml:5:26: error: points.p.scale: a scale of 0 makes every value 0; give the size of one raw unit, such as 0.1"
        ),
        BadFile(
            "an unknown quantity", point("{holding: 1, quantity: power}"),
            "p.yaml:5:29: error: points.p.quantity: unknown value 'power'; Known: "
                + Quantity.allCases.map(\.rawValue).joined(separator: ", ")),
        BadFile(
            "a text as a quantity", point("{holding: 1, type: text, quantity: powerWatts}"),
            "p.yaml:5:41: error: points.p.quantity: a text is no quantity; leave out 'quantity', or choose a number's type"
        ),
        BadFile(
            "a raw word that is none", point("{holding: 1, unavailable: [-1]}"),
            "p.yaml:5:33: error: points.p.unavailable[0]: a raw value is a whole number such as 0x8000; quote it when it has 16 hexadecimal digits"
        ),
        BadFile(
            "the same quantity twice",
            head + "points:\n  p: {input: 1, quantity: powerWatts}\n  q: {input: 2, quantity: powerWatts}\n",
            "p.yaml:6:6: error: points.q: 'p' and 'q' both give powerWatts; leave out 'quantity' at one of them"),
        BadFile(
            "a value longer than an answer",
            "kind: meter\nvendor: Acme\nmodbus: {maximum_registers: 2}\npoints: {p: {input: 1, type: f64}}\n",
            "p.yaml:4:13: error: points.p: 'p' takes 4 registers, but the device gives 2 at once; "
                + "raise maximum_registers under 'modbus', or choose a shorter type"),
        BadFile(
            "a charger without its limits", "kind: ev\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\n",
            "p.yaml:1:1: error: a charger's profile needs 'charger'; "
                + "add charger: {minimum_amps: 6, maximum_amps: 16, phases: [3]}"),
        BadFile(
            "a charger with limits that are none",
            "kind: ev\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\ncharger: 16\n",
            "p.yaml:5:10: error: charger: expected a mapping, found the whole number 16; "
                + "write lines such as 'key: value' below it"),
        BadFile(
            "a heat pump without its limits", "kind: hvac\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\n",
            "p.yaml:1:1: error: a heat pump's profile needs 'hvac'; add hvac: {minimum_dwell_seconds: 600}"),
        BadFile(
            "a setpoint range upside down",
            "kind: hvac\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\nhvac:\n  setpoint: {minimum_celsius: 30, maximum_celsius: 5}\n",
            "p.yaml:6:13: error: hvac.setpoint: the lowest setpoint is above the highest; swap them"),
        BadFile(
            "a state of an unknown point", charger("states: {plug: [{when: {m: 1}, is: plugged}]}"),
            "p.yaml:8:28: error: states.plug[0].when.m: there is no point 'm'; conditions name points of the same profile"
        ),
        BadFile(
            "an unknown state", charger("states: {plug: [{is: in}]}"),
            "p.yaml:8:22: error: states.plug[0].is: unknown value 'in'; Known: unplugged, plugged"),
        BadFile(
            "a text compared with a number", charger("states: {plug: [{when: {t: 1}, is: plugged}]}"),
            "p.yaml:8:28: error: states.plug[0].when.t: 't' is a text; compare it with a text or starts_with"),
        BadFile(
            "a number compared with a text", charger("states: {plug: [{when: {n: {starts_with: B}}, is: plugged}]}"),
            "p.yaml:8:28: error: states.plug[0].when.n: 'n' is a number; compare it with a number, at_least or below"),
        BadFile(
            "an unknown comparison", charger("states: {plug: [{when: {n: {above: 1}}, is: plugged}]}"),
            "p.yaml:8:29: error: states.plug[0].when.n.above: unknown key 'above'; known here: at_least, below, starts_with"
        ),
        BadFile(
            "an unknown command", charger("commands: {stop: {holding: 9}}"),
            "p.yaml:8:18: error: commands.stop: unknown command 'stop'; one of current, pause, resume, one_phase, three_phases, "
                + "setpoint, normal, reduced, boosted, forced, offset, no_offset, surplus, power_limit, no_power_limit, stage_0, "
                + "stage_1, stage_2, stage_3, stage_4, stage_5, stage_6, stage_7, automatic, hold, charge, prepare"),
        BadFile(
            "a battery's order that lasts for ever",
            head + "roles: [battery]\npoints: {p: {input: 1}}\n"
                + "commands: {automatic: {holding: 1, value: 0}, hold: {holding: 1, value: 1}}\n",
            "p.yaml:6:23: error: commands.automatic: 'automatic' needs to end by itself; add battery: {expires_seconds: 60}, "
                + "the time after which the device goes back"),
        BadFile(
            "a battery that never follows the house again",
            head + "roles: [battery]\npoints: {p: {input: 1}}\nbattery: {expires_seconds: 60}\n"
                + "commands: {hold: {holding: 1, value: 1}}\n",
            "p.yaml:7:18: error: commands.hold: 'hold' needs 'automatic': the battery would never follow the house again; "
                + "say how to do both"),
        BadFile(
            "a write to an input", charger("commands: {current: {input: 9}}"),
            "p.yaml:8:21: error: commands.current: exactly one of holding, coil should give the address; such as {holding: 1020}",
            "p.yaml:8:22: error: commands.current.input: unknown key 'input'; known here: allowed, byte_order, coil, holding, multiple, "
                + "scale, type, value, value_of, word_order, words"),
        BadFile(
            "a pause without an end", charger("commands: {pause: {holding: 9, value: 0}}"),
            "p.yaml:8:19: error: commands.pause: 'pause' needs 'resume': a charger that was paused would never charge again; say how to do both"
        ),
        BadFile(
            "a setpoint without its range",
            "kind: hvac\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\nhvac: {}\ncommands: {setpoint: {holding: 9}}\n",
            "p.yaml:6:22: error: commands.setpoint: 'setpoint' needs the range it takes; "
                + "add hvac: {setpoint: {minimum_celsius: 5, maximum_celsius: 30}}"),
        BadFile(
            "a watchdog without a period", charger("watchdog: {share: 0.5}"),
            "p.yaml:8:11: error: watchdog: a watchdog needs 'period_point', 'period_seconds' or 'every_seconds'; say where its period is read, or how long it is"
        ),
        BadFile(
            "a watchdog's period of an unknown point", charger("watchdog: {period_point: m}"),
            "p.yaml:8:11: error: watchdog: there is no point 'm'; 'period_point' names a point of this profile"),
        BadFile(
            "a watchdog fed with an unknown point",
            charger("watchdog: {period_seconds: 60, feed: {holding: 9, value_of: m}}"),
            "p.yaml:8:38: error: watchdog.feed: there is no point 'm'; 'value_of' names a point of this profile"),
        BadFile(
            "a scale that is no fraction", point("{holding: 1, scale: 1/x}"),
            "p.yaml:5:26: error: points.p.scale: expected a number, found the text '1/x'; write a number"),
        BadFile(
            "bits of a number with a sign", point("{holding: 1, type: i16, bits: 3}"),
            "p.yaml:5:36: error: points.p.bits: only whole numbers without a sign have bits; choose u16, u32 or u64"),
        BadFile(
            "bits that a word lacks", point("{holding: 1, bits: [8, 16]}"),
            "p.yaml:5:25: error: points.p.bits: these are no bits of the value; "
                + "one bit, or the lowest and the highest as in [8, 14]; 0 to 15"),
        BadFile(
            "codes that are a list", point("{holding: 1, values: [a]}"),
            "p.yaml:5:27: error: points.p.values: 'values' should be a mapping of codes to their meaning; such as {0: idle}"
        ),
        BadFile(
            "a code that is none", point("{holding: 1, values: {x: idle}}"),
            "p.yaml:5:31: error: points.p.values.x: this is no code with its meaning; such as 0: idle"),
        BadFile(
            "numbers and texts as codes", point("{holding: 1, values: {0: idle, 1: 2}}"),
            "p.yaml:5:27: error: points.p.values: 'values' has numbers and texts; use one sort for all"),
        BadFile(
            "named codes as a quantity", point("{holding: 1, values: {0: idle}, quantity: powerWatts}"),
            "p.yaml:5:48: error: points.p.quantity: a text is no quantity; leave out 'quantity', or choose a number's type"
        ),
        BadFile(
            "a range upside down", point("{holding: 1, valid: [100, 0]}"),
            "p.yaml:5:26: error: points.p.valid: this is no range; the lowest and the highest value, as in [0, 100]"),
        BadFile(
            "an unknown byte order", point("{holding: 1, byte_order: swapped}"),
            "p.yaml:5:31: error: points.p.byte_order: unknown value 'swapped'; Known: big, little"),
        BadFile(
            "a scale factor that is not there", point("{holding: 1, scale_point: f}"),
            "p.yaml:5:32: error: points.p.scale_point: there is no point 'f'; 'scale_point' names a register of this profile"
        ),
        BadFile(
            "a scale factor in another table",
            head + "points:\n  p: {holding: 1, scale_point: f}\n  f: {input: 2, type: i16}\n",
            "p.yaml:5:32: error: points.p.scale_point: 'f' can't be read together with 'p'; "
                + "both have to lie in one table, within 100 registers"),
        BadFile(
            "a scale factor too far away",
            head + "points:\n  p: {holding: 1, scale_point: f}\n  f: {holding: 101, type: i16}\n",
            "p.yaml:5:32: error: points.p.scale_point: 'f' can't be read together with 'p'; "
                + "both have to lie in one table, within 100 registers"),
        BadFile(
            "a sum of an unknown point", head + "points:\n  p: {holding: 1}\n  s: {sum: [p, -q]}\n",
            "p.yaml:6:16: error: points.s.sum[1]: there is no point 'q'; a sum names points of this profile"),
        BadFile(
            "a sum of a text", head + "points:\n  p: {holding: 1, type: text}\n  s: {sum: [p]}\n",
            "p.yaml:6:13: error: points.s.sum[0]: 'p' is a text; a sum names numbers"),
        BadFile(
            "a term that is none", head + "points:\n  p: {holding: 1}\n  s: {sum: [p *]}\n",
            "p.yaml:6:13: error: points.s.sum[0]: this is no term of a sum; such as import, -export or voltage * current"
        ),
        BadFile(
            "a sum of nothing", head + "points:\n  p: {holding: 1}\n  s: {sum: []}\n",
            "p.yaml:6:12: error: points.s.sum: a sum of nothing; name at least one point"),
        BadFile(
            "an otherwise without a when", head + "points:\n  p: {holding: 1}\n  s: {sum: [p], otherwise: 0}\n",
            "p.yaml:6:28: error: points.s.otherwise: 'otherwise' needs 'when'; say when the sum counts, or remove it"),
        BadFile(
            "a point and a sum of one quantity",
            head + "points:\n  p: {holding: 1, quantity: powerWatts}\n  s: {sum: [p], quantity: powerWatts}\n",
            "p.yaml:6:6: error: points.s: 'p' and 's' both give powerWatts; leave out 'quantity' at one of them"),
        BadFile(
            "a code that is never sent",
            charger("  c: {holding: 3, values: {0: idle, 1: busy}}\nstates: {plug: [{when: {c: buzy}, is: plugged}]}"),
            "p.yaml:9:28: error: states.plug[0].when.c: 'c' is never 'buzy'; one of idle, busy"),
        BadFile(
            "a pause of no value", charger("commands: {pause: {holding: 9}, resume: {holding: 9, value: 1}}"),
            "p.yaml:8:19: error: commands.pause: what should be written?; add 'value' or 'value_of'"),
        BadFile(
            "a value and a value_of", charger("commands: {prepare: {holding: 9, value: 1, value_of: n}}"),
            "p.yaml:8:54: error: commands.prepare.value_of: 'value' and 'value_of' exclude each other; remove one of them"
        ),
        BadFile(
            "a highest current below the lowest",
            "kind: ev\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\ncharger: {minimum_amps: 10, maximum_amps: 8}\n",
            "p.yaml:5:43: error: charger.maximum_amps: the highest current is below the lowest; swap them"),
        BadFile(
            "roles of a charger", charger("roles: [grid]"),
            "p.yaml:8:9: error: roles[0]: only a meter has roles; remove 'roles'"),
        BadFile(
            "an unknown role", head + "roles: [net]\npoints: {p: {input: 1}}\n",
            "p.yaml:4:9: error: roles[0]: this is not a role of a meter; one of grid, solar, battery, load"),
        BadFile(
            "an unknown line", "kind: meter\nvendor: Acme\nmodbus: {over: [udp]}\npoints: {p: {input: 1}}\n",
            "p.yaml:3:17: error: modbus.over[0]: this is not what carries Modbus; one of tcp, rtu"),
        BadFile(
            "an address that the offset takes away",
            "kind: meter\nvendor: Acme\nmodbus: {address_offset: -2}\npoints: {p: {input: 1}}\n",
            "p.yaml:4:21: error: points.p.input: 1 with address_offset -2 is no address; both together are 0 to 65535"),
        BadFile(
            "options as a list", head + "points: {p: {input: 1}}\noptions: [a]\n",
            "p.yaml:5:10: error: options: 'options' should be a mapping of names to changes; "
                + "such as {swapped_words: {about: \"…\", change: {…}}}"),
        BadFile(
            "an option that changes nothing", head + "points: {p: {input: 1}}\noptions: {a: {about: b}}\n",
            "p.yaml:5:14: error: options.a: missing key 'change'; add a line 'change: …'"),
        // A fault that only the option brings is at the option's own place.
        BadFile(
            "an option with a fault",
            head + "points: {p: {input: 1}}\noptions:\n  a: {about: b, change: {points: {p: {type: i99}}}}\n",
            "p.yaml:6:45: error: points.p.type: unknown type 'i99'; one of bit, f32, f64, i16, i32, i64, text, u16, u32, u64"
        ),
        BadFile(
            "a SunSpec model without its layout",
            "kind: meter\nvendor: Acme\nprotocol: sunspec\nmodbus: {}\npoints: {p: {model: 103, point: W}}\n",
            "p.yaml:5:21: error: points.p.model: the layout of SunSpec models is missing; "
                + "sunspec.yaml belongs into the folder of profiles, beside ev, hvac and meter"),
        BadFile(
            "a model in a profile of registers", point("{model: 103, point: W}"),
            "p.yaml:5:14: error: points.p.model: only SunSpec devices have models; add 'protocol: sunspec' at the top"),
        BadFile(
            "an unknown protocol", head + "protocol: profinet\npoints: {p: {input: 1}}\n",
            "p.yaml:4:11: error: protocol: unknown value 'profinet'; Known: modbus, sunspec"),
        BadFile(
            "two faults far apart", head + "pol: 1\npoints: {p: {input: 1, scale: x}}\n",
            "p.yaml:4:1: error: pol: unknown key 'pol'; known here: battery, charger, commands, http, hvac, kind, modbus, "
                + "models, mqtt, options, parameters, points, poll_seconds, protocol, roles, sources, states, transport, "
                + "vendor, watchdog",
            "p.yaml:5:31: error: points.p.scale: expected a number, found the text 'x'; write a number"),
    ]

    static let sunspecPoints = [
        (
            "{model: 99, point: W}",
            "p.yaml:5:21: error: points.p.model: there is no such SunSpec model; sunspec.yaml has the models that are known"
        ),
        (
            "{model: [103, x], point: W}",
            "p.yaml:5:27: error: points.p.model[1]: there is no such SunSpec model; sunspec.yaml has the models that are known"
        ),
        ("{model: 103}", "p.yaml:5:13: error: points.p: missing key 'point'; add a line 'point: …'"),
        (
            "{model: 103, point: Watt}",
            "p.yaml:5:33: error: points.p.point: model 103 has no point 'Watt'; sunspec.yaml lists its points"
        ),
        (
            "{model: 103, point: W, group: 1}",
            "p.yaml:5:43: error: points.p.group: model 103 has no part that repeats; leave out 'group'"
        ),
        (
            "{model: 160, point: DCW}",
            "p.yaml:5:33: error: points.p.point: model 160 has no point 'DCW'; add 'group', counted from 1"
        ),
        (
            "{model: 160, point: N, group: 1}",
            "p.yaml:5:33: error: points.p.point: model 160 has no point 'N'; leave out 'group'"
        ),
        (
            "{model: 1, point: Mn, quantity: powerWatts}",
            "p.yaml:5:45: error: points.p.quantity: a text is no quantity; leave out 'quantity', or choose a number's type"
        ),
    ]

    @Test(arguments: sunspecPoints) func aSunSpecPointIsHeldAgainstItsModel(point: String, error: String) throws {
        let text = "kind: meter\nvendor: Acme\nprotocol: sunspec\nmodbus: {}\npoints: {p: \(point)}\n"
        let models = try SunSpecModels(ProfileLibrary.shippedFolder.appendingPathComponent("sunspec.yaml"))
        let (profile, errors) = ProfileLibrary.read(text, name: "p", file: "p.yaml", sunspec: models)
        #expect(profile == nil)
        #expect(errors.map(\.description) == [error])
    }

    @Test(arguments: files) func isSaidWithItsPlaceAndARemedy(file: BadFile) {
        let (profile, errors) = ProfileLibrary.read(file.text, name: "p", file: "p.yaml")
        #expect(profile == nil)
        #expect(errors.map(\.description) == file.errors)
    }
}
