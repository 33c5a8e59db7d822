import HubKit
import ProfileKit
import Testing

/// Bits, codes, byte order, scale factors and valid ranges.
@Suite struct FieldCodingTests {
    private func point(
        _ type: RegisterType, scale: Double = 1, _ change: (inout ProfilePoint) -> Void
    ) -> ProfilePoint {
        var point = ProfilePoint(name: "p", place: RegisterPlace(.holding, 0), type: type, scale: scale)
        change(&point)
        return point
    }

    @Test(
        arguments: [
            (0...0, 0xFFFE, 0), (0...0, 0x0001, 1), (15...15, 0x8000, 1), (0...7, 0x1234, 0x34), (8...15, 0x1234, 0x12),
            (4...11, 0x1234, 0x23), (0...15, 0xFFFF, 65_535),
        ] as [(ClosedRange<Int>, UInt16, Double)])
    func bitsAreTakenFromTheWholeWord(bits: ClosedRange<Int>, word: UInt16, value: Double) {
        #expect(RegisterCoding.value(of: [word], as: point(.u16) { $0.bits = bits }) == .number(value))
    }

    @Test func bitsOfLongerNumbersCountFromTheLowestWord() {
        // The third byte without its highest bit, as a charger has its state.
        let state = point(.u32) { $0.bits = 8...14 }
        #expect(RegisterCoding.value(of: [0xFFFF, 0x84FF], as: state) == .number(4))
        let all = point(.u64) { $0.bits = 0...63 }
        #expect(RegisterCoding.value(of: [0, 0, 1, 0], as: all) == .number(65_536))
        let top = point(.u64) { $0.bits = 48...63 }
        #expect(RegisterCoding.value(of: [0xABCD, 0, 0, 0], as: top) == .number(0xABCD))
    }

    @Test func aCodeThatNobodyKnowsIsNotAvailable() {
        let named = point(.u16) { $0.values = [0: .text("idle"), 3: .text("busy")] }
        #expect(RegisterCoding.value(of: [3], as: named) == .text("busy"))
        #expect(RegisterCoding.value(of: [1], as: named) == nil)
        let numbers = point(.u16, scale: 10) { $0.values = [1: .number(3), 5: .number(1)] }
        #expect(RegisterCoding.value(of: [5], as: numbers) == .number(10))
        #expect(RegisterCoding.value(of: [0], as: numbers) == nil)
        let field = point(.u16) {
            $0.bits = 8...15
            $0.values = [2: .text("two")]
        }
        #expect(RegisterCoding.value(of: [0x02FF], as: field) == .text("two"))
    }

    @Test(
        arguments: [
            // 230.5 in the four orders of its bytes 43 66 80 00.
            ([0x4366, 0x8000], WordOrder.big, ByteOrder.big), ([0x8000, 0x4366], .little, .big),
            ([0x6643, 0x0080], .big, .little), ([0x0080, 0x6643], .little, .little),
        ] as [([UInt16], WordOrder, ByteOrder)])
    func allFourOrdersOfAFloat(words: [UInt16], wordOrder: WordOrder, byteOrder: ByteOrder) {
        let point = point(.f32) {
            $0.wordOrder = wordOrder
            $0.byteOrder = byteOrder
        }
        #expect(RegisterCoding.value(of: words, as: point) == .number(230.5))
        var write = ProfileWrite(
            place: RegisterPlace(.holding, 0), type: .f32, wordOrder: wordOrder, value: .argument)
        write.byteOrder = byteOrder
        #expect(RegisterCoding.words(for: 230.5, as: write) == words)
    }

    @Test func swappedBytesOfAText() {
        let text = point(.text(words: 2)) { $0.byteOrder = .little }
        #expect(RegisterCoding.value(of: [0x3243, 0x0000], as: text) == .text("C2"))
    }

    @Test(arguments: [(-1.0, 138.94), (0, 1389.4), (1, 13_894), (-10, 1389.4e-10)])
    func aScaleFactorIsAPowerOfTen(exponent: Double, value: Double) {
        let scaled = point(.u16, scale: 0.1) { $0.scalePoint = "f" }
        guard case .number(let number) = RegisterCoding.value(of: [13_894], as: scaled, exponent: exponent) else {
            Issue.record("no value")
            return
        }
        #expect(abs(number - value) <= abs(value) * 1e-12)
    }

    @Test(arguments: [nil, -32_768, 11, -11] as [Double?])
    func aFactorThatCannotBeRightMakesTheValueNotAvailable(exponent: Double?) {
        // Field case D-5.
        let scaled = point(.u16) { $0.scalePoint = "f" }
        #expect(RegisterCoding.value(of: [100], as: scaled, exponent: exponent) == nil)
        // An explicit word for "not available" holds whatever the factor is: a sleeping inverter loses both.
        let asleep = point(.u16) {
            $0.scalePoint = "f"
            $0.unavailable = [0x8000]
            $0.whenUnavailable = 0
        }
        #expect(RegisterCoding.value(of: [0x8000], as: asleep, exponent: exponent) == .number(0))
    }

    @Test func whatCannotBeRightIsNotAvailable() {
        let percent = point(.u16, scale: 0.1) { $0.valid = 0...100 }
        #expect(RegisterCoding.value(of: [1000], as: percent) == .number(100))
        #expect(RegisterCoding.value(of: [1001], as: percent) == nil)
    }
}
