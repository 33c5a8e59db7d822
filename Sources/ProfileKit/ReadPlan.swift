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
    ///
    /// Energy counters are read last: when a round says that a flow has ended, its counters have all of that flow.
    /// - Parameters:
    ///   - points: the profile's points.
    ///   - transport: the limits of one read and the widest gap it may span.
    package static func blocks(for points: [ProfilePoint], transport: ProfileTransport) -> [ReadBlock] {
        let all = blocks(
            Array(points.indices), points, gap: transport.maximumGap, registers: transport.maximumRegisters)
        func counts(_ block: ReadBlock) -> Bool { block.points.contains { points[$0].quantity?.isCounter == true } }
        return all.filter { !counts($0) } + all.filter(counts)
    }

    private static func blocks(
        _ indices: [Int], _ points: [ProfilePoint], gap: Int, registers: Int
    ) -> [ReadBlock] {
        let spans = points.map { span(of: $0, in: points) }
        let ordered = indices.sorted { left, right in
            (points[left].place.table.rawValue, spans[left].lowerBound, spans[left].upperBound, left)
                < (points[right].place.table.rawValue, spans[right].lowerBound, spans[right].upperBound, right)
        }
        var blocks: [ReadBlock] = []
        for index in ordered {
            let (table, span) = (points[index].place.table, spans[index])
            if var last = blocks.last, last.table == table {
                let lastEnd = Int(last.address) + last.count
                let newCount = max(lastEnd, span.upperBound) - Int(last.address)
                if span.lowerBound - lastEnd <= gap, newCount <= registers {
                    last.count = newCount
                    last.points.append(index)
                    blocks[blocks.count - 1] = last
                    continue
                }
            }
            blocks.append(block(of: index, points, span))
        }
        return blocks
    }

    /// The registers that one read must have to give a point: its own, and those of its scale factor.
    private static func span(of point: ProfilePoint, in points: [ProfilePoint]) -> Range<Int> {
        let own = Int(point.place.address)..<(Int(point.place.address) + point.type.words)
        guard let name = point.scalePoint, let scale = points.first(where: { $0.name == name }) else { return own }
        let other = Int(scale.place.address)..<(Int(scale.place.address) + scale.type.words)
        return min(own.lowerBound, other.lowerBound)..<max(own.upperBound, other.upperBound)
    }

    private static func block(of index: Int, _ points: [ProfilePoint], _ span: Range<Int>) -> ReadBlock {
        ReadBlock(
            table: points[index].place.table, address: UInt16(truncatingIfNeeded: span.lowerBound), count: span.count,
            points: [index])
    }

    /// The same points in smaller reads, for a device that refuses a block: first without the registers between them
    /// that nobody asked for, which it may not have; where there are none, each point by itself.
    package static func parts(of block: ReadBlock, in points: [ProfilePoint]) -> [ReadBlock] {
        let parts = blocks(block.points, points, gap: 0, registers: block.count)
        return parts.count > 1 ? parts : block.points.map { single($0, in: points) }
    }

    /// A read of one point, with its scale factor.
    static func single(_ index: Int, in points: [ProfilePoint]) -> ReadBlock {
        block(of: index, points, span(of: points[index], in: points))
    }
}
