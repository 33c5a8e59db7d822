import Testing

@testable import WebServer

@Suite struct AssemblerTests {
    private static let requests = [
        "GET /a?b=c HTTP/1.1\r\nHost: t\r\n\r\n",
        "\r\n\nPOST / HTTP/1.1\nHost: t\nContent-Length: 4\n\nbody",
        "PUT / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA ;x\r\n0123456789\r\n0\r\n\r\n",
        "GET /b HTTP/1.0\r\n\r\n",
    ].joined()

    private func steps(_ pieces: [ArraySlice<UInt8>]) -> [RequestAssembler.Step] {
        var assembler = RequestAssembler(maximumHeaderBytes: 4096, maximumBodyBytes: 4096)
        var steps: [RequestAssembler.Step] = []
        for piece in pieces {
            assembler.append(piece)
            while true {
                let step = assembler.next()
                if step == .incomplete { break }
                steps.append(step)
                if case .refused = step { return steps }
            }
        }
        return steps
    }

    @Test func understandsTheSameHoweverItIsSplit() throws {
        let bytes = Array(Self.requests.utf8)
        let whole = steps([bytes[...]])
        let bodies = whole.compactMap { step in
            if case .request(_, let body) = step { String(decoding: body, as: UTF8.self) } else { nil }
        }
        #expect(bodies == ["", "body", "abc0123456789", ""])
        for split in bytes.indices { #expect(steps([bytes[..<split], bytes[split...]]) == whole) }
        #expect(steps(bytes.indices.map { bytes[$0...$0] }) == whole)
    }

    @Test func neverTrapsOnDamagedRequests() {
        var random = SeededGenerator(state: 99)
        let bytes = Array(Self.requests.utf8)
        var refused = 0
        for _ in 0..<5000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let split = Int.random(in: damaged.indices, using: &random)
            let steps = steps([damaged[..<split], damaged[split...]])
            if case .refused(let refusal) = steps.last {
                #expect((400...599).contains(refusal.status) && !refusal.detail.isEmpty)
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    @Test func splitsEventDataAtEveryKindOfLineEnd() {
        let event = ServerSentEvent(data: "a\nb\r\nc\rd")
        #expect(String(decoding: event.encoded, as: UTF8.self) == "data: a\ndata: b\ndata: c\ndata: d\n\n")
    }
}
