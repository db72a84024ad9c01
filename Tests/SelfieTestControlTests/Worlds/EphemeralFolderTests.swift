import Foundation
import Platform
import SelfieTestControl
import Testing

@Suite(.timeLimit(.minutes(10))) struct EphemeralFolderTests {
  @Test func `folders that are made at the same time do not remove each other`() async throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let threads = WorkerPool(name: "folders", threads: 8, waiting: 1_000)
    let path = place.path
    for _ in 0..<20 {
      let folders = try await withThrowingTaskGroup { group in
        for _ in 0..<16 { group.addTask { try await threads.run { try EphemeralFolder(in: path) } } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == folders.count)
      for folder in folders { folder.remove() }
    }
  }
}
