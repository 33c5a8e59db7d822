import HubKit
import ProfileKit
import TestSupport
import Testing

@Suite struct ReadPlanTests {
    private func transport(registers: Int = 100, gap: Int = 8) -> ProfileTransport {
        ProfileTransport(
            port: 502, unit: 1, baud: 9600, framing: "8N1", requestDelayMilliseconds: 0, connectDelayMilliseconds: 0,
            timeoutMilliseconds: 2000, maximumRegisters: registers, maximumGap: gap)
    }

    private func point(_ table: RegisterPlace.Table, _ address: UInt16, _ type: RegisterType = .u16) -> ProfilePoint {
        ProfilePoint(name: "\(table.rawValue)\(address)", place: RegisterPlace(table, address), type: type)
    }

    @Test func neighboursShareARead() {
        let points = [point(.input, 10, .u32), point(.input, 0), point(.holding, 12), point(.input, 5, .f32)]
        let blocks = ReadPlan.blocks(for: points, transport: transport())
        #expect(
            blocks == [
                ReadBlock(table: .holding, address: 12, count: 1, points: [2]),
                ReadBlock(table: .input, address: 0, count: 12, points: [1, 3, 0]),
            ])
    }

    @Test func aGapThatIsTooWideSplits() {
        let points = [point(.input, 0), point(.input, 9), point(.input, 19)]
        #expect(ReadPlan.blocks(for: points, transport: transport(gap: 8)).map(\.count) == [10, 1])
        #expect(ReadPlan.blocks(for: points, transport: transport(gap: 0)).map(\.count) == [1, 1, 1])
    }

    @Test func noReadIsLongerThanTheDeviceGives() {
        let points = (0..<40).map { point(.input, UInt16($0 * 2), .f32) }
        let blocks = ReadPlan.blocks(for: points, transport: transport(registers: 30))
        #expect(blocks.map(\.count) == [30, 30, 20])
        #expect(blocks.flatMap(\.points) == Array(0..<40))
    }

    @Test func aValueIsReadTogetherWithItsScaleFactor() {
        // Field case D-5: a factor that is read apart may belong to another value.
        var first = point(.holding, 10, .i16)
        var second = point(.holding, 30, .i16)
        first.scalePoint = "holding40"
        second.scalePoint = "holding40"
        let points = [first, second, point(.holding, 40, .i16), point(.holding, 12)]
        let blocks = ReadPlan.blocks(for: points, transport: transport(registers: 31, gap: 0))
        #expect(blocks == [ReadBlock(table: .holding, address: 10, count: 31, points: [0, 3, 1, 2])])
        // Even for a device that refuses blocks, and one that gives few registers.
        let singles = ReadPlan.parts(of: blocks[0], in: points)
        #expect(singles.map { [Int($0.address), $0.count] } == [[10, 31], [12, 1], [30, 11], [40, 1]])
        let small = ReadPlan.blocks(for: points, transport: transport(registers: 20, gap: 0))
        #expect(small.contains { $0.points.contains(1) && $0.address == 30 && $0.count == 11 })
    }

    @Test func countersAreReadLast() {
        // As with KEBA: the counter stands before the state, and each is a read of its own.
        var counter = point(.holding, 4, .u32)
        counter.quantity = .importWattHours
        var session = point(.input, 2, .u32)
        session.quantity = .sessionWattHours
        let points = [session, point(.holding, 30), counter, point(.input, 60)]
        let blocks = ReadPlan.blocks(for: points, transport: transport(gap: 0))
        #expect(blocks.map(\.points) == [[1], [3], [2], [0]])
    }

    @Test func twoPointsMayShareARegister() {
        let points = [point(.input, 4, .u32), point(.input, 4), point(.input, 5)]
        #expect(ReadPlan.blocks(for: points, transport: transport()).map(\.count) == [2])
    }

    @Test(arguments: ProfileLibrary.shipped.all) func everyPointOfAShippedProfileIsReadOnce(profile: DeviceProfile) {
        let blocks = ReadPlan.blocks(for: profile.points, transport: profile.transport)
        #expect(blocks.flatMap(\.points).sorted() == Array(profile.points.indices))
        for block in blocks {
            #expect(block.count <= profile.transport.maximumRegisters && Int(block.address) + block.count <= 65_536)
            for index in block.points {
                let point = profile.points[index]
                #expect(point.place.table == block.table && point.place.address >= block.address)
                #expect(Int(point.place.address) + point.type.words <= Int(block.address) + block.count)
            }
        }
    }

    @Test func aRefusedBlockIsReadPointByPoint() {
        let points = [point(.input, 0), point(.input, 2, .u32)]
        let block = ReadPlan.blocks(for: points, transport: transport())[0]
        #expect(
            ReadPlan.parts(of: block, in: points) == [
                ReadBlock(table: .input, address: 0, count: 1, points: [0]),
                ReadBlock(table: .input, address: 2, count: 2, points: [1]),
            ])
    }
}
