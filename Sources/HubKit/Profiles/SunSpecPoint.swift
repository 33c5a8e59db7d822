/// A value of a profile that a SunSpec device keeps wherever its chain of models has it.
public struct SunSpecPoint: Sendable, Equatable {
    /// Everything but the place and the type, which the device's chain and the model say.
    public var template: ProfilePoint
    /// The models that have it; the first one that the device has is taken.
    public var models: [Int]
    /// Its name in these models.
    public var point: String
    /// Which of the repeating parts, from 1; absent for the part that does not repeat.
    public var group: Int?
    /// Which of several models of the same number, from 1.
    public var instance = 1
    /// Whether a device without it is none the worse.
    public var isOptional = false

    /// Makes a value.
    public init(template: ProfilePoint, models: [Int], point: String) {
        self.template = template
        self.models = models
        self.point = point
    }
}

/// One model in the chain of a device.
public struct SunSpecBlock: Sendable, Equatable {
    /// Its number.
    public var model: Int
    /// The address of its number; the values follow two words later.
    public var address: Int
    /// The words that follow number and length.
    ///
    /// What a device says here holds, whatever the standard says.
    public var length: Int

    /// Makes a block.
    public init(model: Int, address: Int, length: Int) {
        self.model = model
        self.address = address
        self.length = length
    }
}

extension SunSpecPoint {
    /// The point's registers in a device, and those of its scale factor, where it has one.
    ///
    /// A model that ends before the value, or before its scale factor, does not have it.
    /// - Parameters:
    ///   - chain: the device's models.
    ///   - layout: what is in them.
    public func registers(in chain: [SunSpecBlock], _ layout: SunSpecModels) -> [ProfilePoint]? {
        for id in models {
            let blocks = chain.filter { $0.model == id }
            guard instance >= 1, instance <= blocks.count, let model = layout.models[id] else { continue }
            return registers(in: blocks[instance - 1], model)
        }
        return nil
    }

    private func registers(in block: SunSpecBlock, _ model: SunSpecModels.Model) -> [ProfilePoint]? {
        var start = 0
        if let group {
            guard let layout = model.group else { return nil }
            start = layout.start + (group - 1) * layout.words
        }
        let points = group == nil ? model.points : model.group?.points ?? [:]
        guard let point = points[self.point], let place = place(of: point, start, in: block) else { return nil }
        var result = template
        result.place = place
        result.type = point.type
        result.unavailable += point.unimplemented.map { [$0] } ?? []
        guard let name = point.factor else { return [result] }
        let own = points[name].map { ($0, start) }
        guard let (factor, base) = own ?? model.points[name].map({ ($0, 0) }),
            let factorPlace = self.place(of: factor, base, in: block)
        else { return nil }
        let factorName = "\(block.model).\(name)@\(factorPlace.address)"
        result.scalePoint = factorName
        return [
            result,
            ProfilePoint(
                name: factorName, place: factorPlace, type: factor.type,
                unavailable: factor.unimplemented.map { [$0] } ?? []),
        ]
    }

    private func place(of point: SunSpecModels.Point, _ start: Int, in block: SunSpecBlock) -> RegisterPlace? {
        let offset = start + point.offset
        guard offset + point.type.words <= block.length + 2 else { return nil }
        return UInt16(exactly: block.address + offset).map { RegisterPlace(.holding, $0) }
    }
}
