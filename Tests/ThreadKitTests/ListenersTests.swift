import Testing
import ThreadKit

/// Who listens to changes.
@Suite struct ListenersTests {
    @Test func everyoneHearsWhatIsToldFromThenOn() async {
        let listeners = Listeners<Int>(bufferingNewest: 8)
        listeners.tell(1)
        let first = listeners.stream()
        listeners.tell(2)
        let second = listeners.stream()
        listeners.tell(3)
        var heard: [Int] = []
        for await number in first {
            heard.append(number)
            if number == 3 { break }
        }
        #expect(heard == [2, 3])
        for await number in second {
            #expect(number == 3)
            break
        }
    }

    @Test func whoDoesNotKeepUpLosesTheOldest() async {
        let listeners = Listeners<Int>(bufferingNewest: 2)
        let stream = listeners.stream()
        for number in 1...5 { listeners.tell(number) }
        var heard: [Int] = []
        for await number in stream {
            heard.append(number)
            if number == 5 { break }
        }
        #expect(heard == [4, 5])
    }

    @Test func whoHasGoneIsForgotten() async {
        let listeners = Listeners<Int>(bufferingNewest: 2)
        let kept = listeners.stream()
        do {
            let gone = listeners.stream()
            let reading = Task { for await _ in gone {} }
            reading.cancel()
            await reading.value
        }
        #expect(listeners.count == 1)
        listeners.tell(7)
        for await number in kept {
            #expect(number == 7)
            break
        }
    }
}
