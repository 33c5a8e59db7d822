import Testing
import ThreadKit

@Suite struct LockedTests {
    private struct Refusal: Error, Equatable {
        let reason: String
    }

    @Test func losesNoUpdateUnderContention() async {
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<5_000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.current == 40_000)
    }

    @Test func throwsTheBodysErrorAndIsFreeAfterwards() {
        let value = Locked([1, 2])
        #expect(throws: Refusal(reason: "full")) {
            try value.withLock { (value: inout [Int]) throws(Refusal) in
                value.append(3)
                throw Refusal(reason: "full")
            }
        }
        #expect(value.current == [1, 2, 3])
    }
}
