import YAML

extension ProfileReader {
    func readSunSpecPoints(_ node: YAMLNode?) -> [SunSpecPoint] {
        (node?.entries ?? []).filter { $0.value["model"] != nil }.compactMap { readSunSpecPoint($0.key, $0.value) }
    }

    private func readSunSpecPoint(_ name: String, _ node: YAMLNode) -> SunSpecPoint? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        let ids = readModels(reader.optionalNode("model"))
        let point = reader.string("point")
        let group = reader.optionalInt("group", in: 1...100)
        let instance = reader.optionalInt("instance", in: 1...100) ?? 1
        let isOptional = reader.optionalBool("optional") ?? false
        var template = ProfilePoint(name: name, place: RegisterPlace(.holding, 0), type: .u16)
        let layouts = point.map { point in ids.map { layout($0, point, group, at: node) } } ?? []
        if let first = layouts.compactMap(\.self).first { template.type = first.type }
        readMeaning(&reader, of: &template)
        if !isSunSpec {
            reader.add("only SunSpec devices have models", hint: "add 'protocol: sunspec' at the top", at: "model")
        }
        guard let point, !ids.isEmpty else { return nil }
        var result = SunSpecPoint(template: template, models: ids, point: point)
        result.group = group
        result.instance = instance
        result.isOptional = isOptional
        return result
    }

    private func readModels(_ node: YAMLNode?) -> [Int] {
        guard let node else { return [] }
        let ids = (node.elements ?? [node]).compactMap { element -> Int? in
            guard let id = element.asInt, models.models[id] != nil || models.models.isEmpty else {
                issues.add(
                    "there is no such SunSpec model", hint: "sunspec.yaml has the models that are known", at: element)
                return nil
            }
            return id
        }
        if isSunSpec, models.models.isEmpty {
            issues.add(
                "the layout of SunSpec models is missing",
                hint: "sunspec.yaml belongs into the folder of profiles, beside ev, hvac and meter", at: node)
        }
        return ids
    }

    /// The point in the model; a fault where the model has none of that name.
    private func layout(_ id: Int, _ point: String, _ group: Int?, at node: YAMLNode) -> SunSpecModels.Point? {
        guard let model = models.models[id] else { return nil }
        guard let points = group == nil ? model.points : model.group?.points else {
            issues.add("model \(id) has no part that repeats", hint: "leave out 'group'", at: node["group"] ?? node)
            return nil
        }
        if let layout = points[point] { return layout }
        let isOther = (group == nil ? model.group?.points : model.points)?[point] != nil
        let hint = isOther ? (group == nil ? "add 'group', counted from 1" : "leave out 'group'") : nil
        issues.add(
            "model \(id) has no point '\(point)'", hint: hint ?? "sunspec.yaml lists its points",
            at: node["point"] ?? node)
        return nil
    }
}
