import HubKit
import ProfileKit
import Testing

@Suite struct RegisterCodingTests {
    struct Vector: Sendable {
        let words: [UInt16]
        let type: RegisterType
        var order = WordOrder.big
        var scale = 1.0
        let value: Double
    }

    private func point(_ type: RegisterType, _ order: WordOrder = .big, scale: Double = 1) -> ProfilePoint {
        ProfilePoint(name: "p", place: RegisterPlace(.holding, 0), type: type, wordOrder: order, scale: scale)
    }

    private func write(_ type: RegisterType, _ order: WordOrder = .big, scale: Double = 1) -> ProfileWrite {
        ProfileWrite(place: RegisterPlace(.holding, 0), type: type, wordOrder: order, scale: scale, value: .argument)
    }

    static let vectors = [
        Vector(words: [0xFFFF], type: .u16, value: 65_535),
        Vector(words: [0xFFFF], type: .i16, value: -1),
        Vector(words: [0x8001], type: .i16, scale: 0.1, value: -3276.7),
        Vector(words: [0x0001, 0x0002], type: .u32, value: 65_538),
        Vector(words: [0x0002, 0x0001], type: .u32, order: .little, value: 65_538),
        Vector(words: [0xFFFF, 0xFFFE], type: .i32, value: -2),
        Vector(words: [0x0000, 0x0001, 0x0000, 0x0000], type: .u64, value: 4_294_967_296),
        Vector(words: [0xFFFF, 0xFFFF, 0xFFFF, 0xFF00], type: .i64, value: -256),
        Vector(words: [0x4004, 0x0003, 0x0002, 0x0001], type: .u64, order: .little, value: 281_483_566_858_244),
        // Bytes as two projects published them: 33 33 42 b8 and 80 00 c3 ca, low word first.
        Vector(words: [0x3333, 0x42B8], type: .f32, order: .little, value: Double(Float(92.1))),
        Vector(words: [0x8000, 0xC3CA], type: .f32, order: .little, value: -405),
        Vector(words: [0x43E6, 0x8000], type: .f32, value: 461),
        Vector(words: [0x4132, 0xD687, 0x8000, 0x0000], type: .f64, value: 1_234_567.5),
    ]

    @Test(arguments: vectors) func wordsBecomeTheValueAndBack(vector: Vector) {
        let point = point(vector.type, vector.order, scale: vector.scale)
        #expect(RegisterCoding.value(of: vector.words, as: point) == .number(vector.value))
        let write = write(vector.type, vector.order, scale: vector.scale)
        #expect(RegisterCoding.words(for: vector.value, as: write) == vector.words)
    }

    @Test(arguments: [(2305.0, 0.1, 230.5), (7, 0.001, 0.007), (3, -0.1, -0.3), (12, 100, 1200), (1, 0.25, 0.25)])
    func scalesWithoutNoiseInTheLastPlace(raw: Double, scale: Double, value: Double) {
        let words = [UInt16(raw)]
        #expect(RegisterCoding.value(of: words, as: point(.u16, scale: scale)) == .number(value))
    }

    @Test(
        arguments: [
            (RegisterType.f32, [UInt16(0x7FC0), 0]), (.f32, [0x7F80, 0]), (.f32, [0xFF80, 0]),
            (.f64, [0x7FF8, 0, 0, 0]),
            (.u16, []), (.u32, [1]),
        ] as [(RegisterType, [UInt16])])
    func whatIsNoNumberIsNotAvailable(type: RegisterType, words: [UInt16]) {
        #expect(RegisterCoding.value(of: words, as: point(type)) == nil)
    }

    @Test func theRawWordIsComparedBeforeScaling() {
        // Field case D-5: -32768 times 0.1 is not -3276.8 V.
        var point = point(.i16, scale: 0.1)
        point.unavailable = [0x8000]
        #expect(RegisterCoding.value(of: [0x8000], as: point) == nil)
        #expect(RegisterCoding.value(of: [0x8001], as: point) == .number(-3276.7))
        point.whenUnavailable = 0
        #expect(RegisterCoding.value(of: [0x8000], as: point) == .number(0))
    }

    @Test(
        arguments: [
            ([UInt16(0x4332), 0], "C2"), ([0x4100, 0x4242], "A"), ([0x2041, 0x4220], "AB"), ([0, 0], nil),
            ([0x2020], nil),
        ] as [([UInt16], String?)])
    func textEndsAtAZero(words: [UInt16], text: String?) {
        #expect(RegisterCoding.value(of: words, as: point(.text(words: words.count))) == text.map { .text($0) })
    }

    @Test(arguments: [
        (RegisterType.u16, -1.0), (.u16, 65_536), (.i16, 32_768), (.i16, -32_769), (.u32, -1), (.u32, 4_294_967_296),
        (.i32, 2_147_483_648), (.u64, -1), (.u16, .nan), (.f32, .infinity), (.text(words: 1), 1),
    ])
    func whatDoesNotFitIsNotWritten(type: RegisterType, value: Double) {
        #expect(RegisterCoding.words(for: value, as: write(type)) == nil)
    }

    @Test func aConstantIsRaw() {
        var write = write(.u16, scale: 0.001)
        write.value = .constant(3)
        #expect(RegisterCoding.words(for: 3, as: write) == [3])
        write.value = .argument
        #expect(RegisterCoding.words(for: 16, as: write) == [16_000])
    }
}
