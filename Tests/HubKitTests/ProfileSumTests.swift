import HubKit
import Testing

@Suite struct ProfileSumTests {
    private static let values: [String: PointValue] = [
        "in": .number(500), "out": .number(1240), "volts": .number(230), "amps": .number(10), "state": .text("C"),
    ]

    private static func sum(_ terms: String..., configure: (inout ProfileSum) -> Void = { _ in }) throws -> ProfileSum {
        var sum = ProfileSum(name: "sum", terms: try terms.map { try #require(ProfileSum.Term($0)) })
        configure(&sum)
        return sum
    }

    @Test func addsSubtractsAndMultiplies() throws {
        #expect(try Self.sum("in", "-out").value(Self.values) == -740)
        #expect(try Self.sum("volts * amps", "in").value(Self.values) == 2800)
        #expect(try Self.sum("-volts*amps").value(Self.values) == -2300)
        #expect(try Self.sum("volts * amps").isEstimated)
        #expect(try !Self.sum("in", "-out").isEstimated)
    }

    @Test func oneTermThatIsNotAvailableMakesTheSumSo() throws {
        #expect(try Self.sum("in", "missing").value(Self.values) == nil)
        #expect(try Self.sum("in", "volts * missing").value(Self.values) == nil)
        #expect(try Self.sum("in", "state").value(Self.values) == nil)
        #expect(try Self.sum("in", "missing") { $0.skipsUnavailable = true }.value(Self.values) == 500)
        // Nothing at all is not 0.
        #expect(try Self.sum("missing", "gone") { $0.skipsUnavailable = true }.value(Self.values) == nil)
    }

    @Test func countsOnlyWhileItsConditionsHold() throws {
        func power(_ condition: ProfileCondition, otherwise: Double? = 0) throws -> Double? {
            let sum = try Self.sum("in") {
                $0.when = [condition]
                $0.otherwise = otherwise
            }
            return sum.value(Self.values)
        }
        #expect(try power(ProfileCondition(point: "state", test: .anyOf([.text("C")]))) == 500)
        #expect(try power(ProfileCondition(point: "state", test: .anyOf([.text("B")]))) == 0)
        #expect(try power(ProfileCondition(point: "state", test: .startsWith("B")), otherwise: nil) == nil)
        #expect(try power(ProfileCondition(point: "missing", test: .equals(1))) == nil)
    }

    @Test(arguments: ["", "-", "a *", "* a", "a ** b"]) func whatIsNoTermIsNone(text: String) {
        #expect(ProfileSum.Term(text) == nil)
    }
}
