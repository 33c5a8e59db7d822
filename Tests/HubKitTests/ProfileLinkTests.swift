import HubKit
import Testing
import YAML

/// Profiles of messages and answers: what is read, and how faults are said.
@Suite struct ProfileLinkTests {
    private static let head = "kind: ev\nvendor: Acme\ncharger: {maximum_amps: 16}\n"

    private static let messages =
        head + """
            transport: mqtt
            parameters: {point: {about: which, default: 1}}
            mqtt:
              topic: box
              stale_seconds: 30
              alive: {topic: "{topic}/LWT", at: state, online: [online, true]}
              messages:
                state: {topic: "{topic}/{point}/state", holds: true, time: Time}
                power: {topic: "{topic}/W", stale_seconds: 5, optional: true, ask: {topic: "{topic}/get", payload: "?"}}
            points:
              state: {from: state, at: "car[0]", values: {null: none, 2: charging}, unavailable: ["-"]}
              power: {from: power, scale: 1000, quantity: powerWatts, optional: true}
            states: {charging: [{when: {state: charging}, is: charging}]}
            commands:
              current: {topic: "{topic}/set", payload: '{"amps":{value}}', scale: 0.001, decimals: 0, retained: true}
            """

    @Test func messagesAreReadAsTheyStand() throws {
        let (read, errors) = ProfileLibrary.read(Self.messages, name: "p", file: "p.yaml")
        #expect(errors.map(\.description) == [])
        let profile = try #require(read)
        #expect(profile.pollSeconds == 2)
        guard case .mqtt(let topics) = profile.filled(parameters: [:]).link else {
            Issue.record("no messages")
            return
        }
        #expect(topics.messages.map(\.topic) == ["box/1/state", "box/W"])
        #expect(topics.messages.map(\.staleSeconds) == [30, 5])
        #expect(topics.messages.map(\.holds) == [true, false])
        #expect(topics.messages.map(\.isOptional) == [false, true])
        #expect(topics.messages[0].time == "Time")
        #expect(topics.messages[1].ask == ProfileQuestion(topic: "box/get", payload: "?", everySeconds: 60))
        #expect(topics.alive == ProfilePresence(topic: "box/LWT", path: "state", online: ["online", "true"]))
        #expect(profile.fieldPoints.map(\.codes) == [["null": .text("none"), "2": .text("charging")], [:]])
        #expect(profile.fieldPoints[0].unavailable == ["-"])
        let filled = profile.filled(topic: "hall", parameters: ["point": "2"])
        var sending = ProfileSending(
            .topic("hall/set", isRetained: true), payload: "{\"amps\":{value}}", value: .argument)
        (sending.scale, sending.decimals) = (0.001, 0)
        #expect(filled.commands[.current] == [.send(sending)])
    }

    @Test func requestsAreReadAsTheyStand() throws {
        let text =
            Self.head + """
                transport: http
                http:
                  login: [none, basic]
                  headers: {X-Api-Version: 2}
                  timeout_ms: 3000
                  errors: {403: "switch it on"}
                  requests:
                    status: {path: "/s?a=1", method: POST, body: "{}", every_seconds: 60, answer: {at: Code, is: [0, ok]}}
                points: {power: {from: status, at: w}}
                commands:
                  current: {path: "/set?amp={value}", answer: {at: amp, is: true}}
                  pause: {path: /off, body: "{}", value_of: power}
                  resume: []
                """
        let (read, errors) = ProfileLibrary.read(text, name: "p", file: "p.yaml")
        #expect(errors.map(\.description) == [])
        let profile = try #require(read)
        guard case .http(let requests) = profile.link else {
            Issue.record("no requests")
            return
        }
        #expect(requests.logins == [.none, .basic] && requests.headers == ["X-Api-Version": "2"])
        #expect(requests.timeoutMilliseconds == 3000 && requests.errors == [403: "switch it on"])
        #expect(requests.requests[0].method == "POST" && requests.requests[0].everySeconds == 60)
        #expect(requests.requests[0].answer == ProfileAnswer(path: "Code", values: ["0", "ok"]))
        var current = ProfileSending(.request(method: "GET", path: "/set?amp={value}"), value: .argument)
        current.answer = ProfileAnswer(path: "amp", values: ["true"])
        #expect(profile.commands[.current] == [.send(current)])
        #expect(
            profile.commands[.pause] == [.send(ProfileSending(.request(method: "POST", path: "/off"), payload: "{}"))])
        #expect(profile.commands[.resume] == [])
    }

    static let faults: [(String, String)] = [
        (
            "transport: mqtt\nmodbus: {}\nmqtt: {messages: {m: {topic: t}}}\npoints: {p: {from: m}}\n",
            "p.yaml:5:9: error: modbus: the section 'modbus' is for 'transport: modbus'; remove it, or change 'transport'"
        ),
        (
            "transport: mqtt\npoints: {p: {from: m}}\n",
            "p.yaml:1:1: error: missing key 'mqtt'; add a line 'mqtt: …'"
        ),
        (
            "transport: mqtt\nmqtt: {messages: {}}\npoints: {p: {from: m}}\n",
            "p.yaml:5:18: error: mqtt.messages: 'messages' should be a mapping of names; such as {sensor: {topic: \"tele/{topic}/SENSOR\"}}"
        ),
        (
            "transport: mqtt\nmqtt: {messages: {m: {topic: \"a/#\"}}}\npoints: {p: {from: m}}\n",
            "p.yaml:5:30: error: mqtt.messages.m.topic: 'a/#' can't be a topic; name one topic, without # and +"
        ),
        (
            "transport: mqtt\nmqtt: {messages: {m: {topic: \"{topik}/a\"}}}\npoints: {p: {from: m}}\n",
            "p.yaml:5:30: error: mqtt.messages.m.topic: there is no parameter 'topik'; did you mean '{topic}'?"
        ),
        (
            "transport: mqtt\nmqtt: {messages: {m: {topic: t}}}\npoints: {p: {from: n}}\n",
            "p.yaml:6:20: error: points.p.from: nothing is called 'n'; did you mean 'm'? Known: m"
        ),
        (
            "transport: mqtt\nmqtt: {messages: {m: {topic: t}}}\npoints: {p: {from: m, at: \"a[\"}}\n",
            "p.yaml:6:27: error: points.p.at: 'a[' is no path in JSON; such as emeters[0].power, [\"a name\"] or list[type=net].now"
        ),
        (
            "transport: http\nhttp: {requests: {r: {path: status}}}\npoints: {p: {from: r}}\n",
            "p.yaml:5:29: error: http.requests.r.path: 'status' is no path; begin with /, and write %20 for a space"
        ),
        (
            "transport: http\nhttp: {requests: {r: {path: /s}}, login: [cookie]}\npoints: {p: {from: r}}\n",
            "p.yaml:5:43: error: http.login[0]: this is not a way to log in; one of none, basic, digest, bearer, token"
        ),
        (
            "transport: mqtt\nmqtt: {messages: {m: {topic: t}}}\npoints: {p: {from: m}}\ncommands: {normal: {topic: t, payload: \"{value}\"}}\n",
            "p.yaml:7:20: error: commands.normal: which value should be sent?; write it instead of {value}, or add 'value_of'"
        ),
        (
            "transport: mqtt\nmqtt: {messages: {m: {topic: t}}}\npoints: {p: {from: m}}\ncommands: {normal: {topic: t}}\n",
            "p.yaml:7:20: error: commands.normal: what should be published?; add 'payload'; {value} stands for the number"
        ),
        (
            "transport: mqtt\nmqtt: {messages: {m: {topic: t}, n: {topic: u}}}\npoints: {p: {from: m}}\n",
            "p.yaml:5:37: error: mqtt.messages.n: no point uses the message 'n'; remove it, or name it with 'from: n' at a point"
        ),
        (
            "transport: http\nhttp: {requests: {r: {path: /s}, q: {path: /t}}}\npoints: {p: {from: r}}\n",
            "p.yaml:5:37: error: http.requests.q: no point uses the request 'q'; remove it, or name it with 'from: q' at a point"
        ),
        (
            "transport: http\nhttp: {requests: {r: {path: /s}}, headers: {X-Key: \"a\\r\\nHost: b\"}}\npoints: {p: {from: r}}\n",
            "p.yaml:5:52: error: http.headers.X-Key: a header field has one line, without control characters; write it in one line"
        ),
        (
            "transport: http\nhttp: {requests: {r: {path: /s}}, headers: {X-Key: \"a\\0\"}}\npoints: {p: {from: r}}\n",
            "p.yaml:5:52: error: http.headers.X-Key: a header field has one line, without control characters; write it in one line"
        ),
        (
            "transport: http\nhttp: {requests: {r: {path: /s}}, headers: {\"X Key\": a}}\npoints: {p: {from: r}}\n",
            "p.yaml:5:54: error: http.headers[\"X Key\"]: 'X Key' is no header field's name; letters, digits and -"
        ),
    ]

    @Test(arguments: faults) func faultsAreSaidWithTheirPlace(text: String, error: String) {
        let errors = ProfileLibrary.read(Self.head + text, name: "p", file: "p.yaml").errors.map(\.description)
        #expect(errors.contains(error), "\(errors)")
    }
}
