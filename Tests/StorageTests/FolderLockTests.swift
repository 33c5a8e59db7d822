import Foundation
import HubKit
import TestSupport
import Testing

@testable import Storage

@Suite struct FolderLockTests {
    @Test func aSecondHubIsKeptOutUntilTheFirstHasGone() throws {
        let folder = try TemporaryFolder()
        var first: FolderLock? = try FolderLock(folder.url)
        let error = #expect(throws: HubError.self) { try FolderLock(folder.url) }
        #expect(error?.code == .inUse)
        #expect(first != nil)
        first = nil
        _ = try FolderLock(folder.url)
    }

    @Test func aCopyOfTheDescriptorInAProcessThatStartsDoesNotHoldTheLockOn() throws {
        let folder = try TemporaryFolder()
        var first: FolderLock? = try FolderLock(folder.url)
        let copy = dup(try #require(first?.descriptor))
        #expect(copy >= 0)
        defer { close(copy) }
        first = nil
        _ = try FolderLock(folder.url)
    }
}
