import OCPP
import Testing

/// Messages of OCPP-J as they are read and written.
@Suite struct FrameTests {
    @Test func readsTheThreeKinds() throws {
        #expect(
            try Frame(#"[2,"19223201","BootNotification",{"chargePointVendor":"V","n":1.5}]"#)
                == .call(
                    id: "19223201", action: "BootNotification",
                    payload: ["chargePointVendor": "V", "n": .number(1.5)]))
        #expect(try Frame(#"[3,"7",{"status":"Accepted"}]"#) == .result(id: "7", payload: ["status": "Accepted"]))
        #expect(
            try Frame(#"[4,"7","NotImplemented","no such thing",{}]"#)
                == .refusal(id: "7", CallError(.notImplemented, "no such thing")))
    }

    @Test func writesWhatItReads() throws {
        let frames: [Frame] = [
            .call(id: "1", action: "Heartbeat", payload: .empty),
            .result(id: "a\"b", payload: ["n": 16, "list": [1, "zwei", .null, .bool(true)], "x": .number(16.1)]),
            .refusal(id: "2", CallError(.occurenceConstraintViolation, "idTag is missing")),
        ]
        for frame in frames { #expect(try Frame(frame.json) == frame) }
        #expect(frames[0].json == #"[2,"1","Heartbeat",{}]"#)
        #expect(frames[2].json == #"[4,"2","OccurenceConstraintViolation","idTag is missing",{}]"#)
    }

    @Test(arguments: [
        (#"[2,"5","Heartbeat"]"#, "5"), (#"[2,"5","Heartbeat",null]"#, "5"), (#"[2,5,"Heartbeat",{}]"#, "5"),
        (#" [ 2 , "5" , "Heartbeat" , { } ] "#, "5"),
    ])
    func forgivesWhatChargersLeaveOut(_ text: String, _ id: String) throws {
        #expect(try Frame(text) == .call(id: id, action: "Heartbeat", payload: .empty))
    }

    @Test(arguments: [
        ("", CallError.Code.formationViolation, "-1"), ("{}", .formationViolation, "-1"),
        ("[]", .formationViolation, "-1"), ("hello", .formationViolation, "-1"),
        (#"["2","5","Heartbeat",{}]"#, .formationViolation, "-1"), (#"[2]"#, .protocolError, "-1"),
        (#"[2,{},"Heartbeat",{}]"#, .protocolError, "-1"), (#"[2,"","Heartbeat",{}]"#, .protocolError, "-1"),
        (#"[2,"5"]"#, .protocolError, "5"), (#"[2,"5",6,{}]"#, .protocolError, "5"),
        (#"[2,"5","Heartbeat",[]]"#, .formationViolation, "5"), (#"[2,"5","Heartbeat","x"]"#, .formationViolation, "5"),
        (#"[2,"5","Heartbeat",{"a":1e999}]"#, .formationViolation, "-1"),
    ])
    func saysWhatIsWrongWithTheRest(_ text: String, _ code: CallError.Code, _ id: String) {
        #expect(
            performing: { try Frame(text) },
            throws: { error in
                let fault = error as? Frame.Fault
                return fault?.error.code == code && fault?.id == id && fault?.wantsAnswer == true
            })
    }

    @Test(arguments: [#"[3,"5"]"#, #"[3]"#, #"[4,"5"]"#, #"[5,"5","x",{}]"#, #"[3,null,{}]"#])
    func answersNoAnswer(_ text: String) {
        #expect(performing: { try Frame(text) }, throws: { ($0 as? Frame.Fault)?.wantsAnswer == false })
    }

    @Test func aTextNestedWithoutEndIsNoFrame() {
        let deep = "[2,\"5\",\"Heartbeat\"," + String(repeating: #"{"a":["#, count: 100_000)
        let closed = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        for text in [deep, closed] {
            #expect(
                performing: { try Frame(text) }, throws: { ($0 as? Frame.Fault)?.error.code == .formationViolation })
        }
    }

    @Test(arguments: [
        ("FormatViolation", CallError.Code.formationViolation), ("FormationViolation", .formationViolation),
        ("OccurrenceConstraintViolation", .occurenceConstraintViolation), ("Whatever", .genericError),
    ])
    func knowsBothSpellingsOfACode(_ name: String, _ code: CallError.Code) {
        #expect(CallError.Code(name: name) == code)
    }
}
