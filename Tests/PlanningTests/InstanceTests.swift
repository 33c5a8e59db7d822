import Foundation
import Planning
import Testing

/// Instances with proven optima, where the folder with them is at hand.
@Suite struct InstanceTests {
    static let files: [URL] = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        for _ in 0..<5 {
            folder.deleteLastPathComponent()
            let candidate = folder.appending(path: "shared/data/planner")
            let files =
                (try? FileManager.default.contentsOfDirectory(at: candidate, includingPropertiesForKeys: nil)) ?? []
            let instances = files.filter { $0.pathExtension == "json" }
            if !instances.isEmpty { return instances.sorted { $0.path < $1.path } }
        }
        return []
    }()

    @Test("meets the proven optimum", .enabled(if: !files.isEmpty), .timeLimit(.minutes(5)), arguments: files)
    func meetsTheProvenOptimum(file: URL) throws {
        let json = try Data(contentsOf: file)
        let document = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        let optimum = try #require(document["optimum"] as? [String: Any])
        let best = try #require(optimum["cost"] as? Double)
        let problem = try PlanningProblem.read(json)
        let answer = try Planner.solve(problem, deadlineSeconds: 30)
        let verdict = try PlanJudge(problem: json, answer: JSONEncoder().encode(answer)).verdict()
        #expect(verdict.faults.isEmpty)
        #expect(abs(verdict.cost - best) <= 2e-5, "\(file.lastPathComponent): \(verdict.cost), optimum \(best)")
        #expect(abs(answer.cost - verdict.cost) < 1e-6)
        #expect(abs(verdict.unmet - (optimum["unmetEnergyKWh"] as? Double ?? 0)) < 1e-3)
        #expect(answer.isProvenOptimal)
        #expect((answer.bound ?? .infinity) <= best + 2e-5)
    }
}
