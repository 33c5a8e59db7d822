package import HubKit

/// One read of neighbouring registers that serves several points.
package struct ReadBlock: Sendable, Equatable {
    /// The table it reads.
    package var table: RegisterPlace.Table
    /// The first address.
    package var address: UInt16
    /// How many registers or bits.
    package var count: Int
    /// The points it serves, by their place in the profile.
    package var points: [Int]

    /// Describes a read.
    package init(table: RegisterPlace.Table, address: UInt16, count: Int, points: [Int]) {
        self.table = table
        self.address = address
        self.count = count
        self.points = points
    }
}

/// Plans the fewest reads for a profile's points, within what the device gives in one answer.
package enum ReadPlan {
    /// Blocks for the given points.
    /// - Parameters:
    ///   - points: the profile's points.
    ///   - transport: the limits of one read and the widest gap it may span.
    package static func blocks(for points: [ProfilePoint], transport: ProfileTransport) -> [ReadBlock] {
        let ordered = points.indices.sorted { left, right in
            let (a, b) = (points[left].place, points[right].place)
            return (a.table.rawValue, a.address) < (b.table.rawValue, b.address)
        }
        var blocks: [ReadBlock] = []
        for index in ordered {
            let point = points[index]
            let end = Int(point.place.address) + point.type.words
            if var last = blocks.last, last.table == point.place.table {
                let lastEnd = Int(last.address) + last.count
                let newCount = max(lastEnd, end) - Int(last.address)
                let gap = Int(point.place.address) - lastEnd
                if gap <= transport.maximumGap, newCount <= transport.maximumRegisters {
                    last.count = newCount
                    last.points.append(index)
                    blocks[blocks.count - 1] = last
                    continue
                }
            }
            blocks.append(
                ReadBlock(
                    table: point.place.table, address: point.place.address, count: point.type.words, points: [index]))
        }
        return blocks
    }

    /// The same points, each read by itself: for a device that refuses a block.
    package static func singles(of block: ReadBlock, in points: [ProfilePoint]) -> [ReadBlock] {
        block.points.map { index in
            ReadBlock(
                table: block.table, address: points[index].place.address, count: points[index].type.words,
                points: [index])
        }
    }
}
