import HTTPMessages
import Platform
import SQLite
import TestSupport

extension APIFixture {
  /// Runs `requests` one after the other up to their writes, which then happen in this order.
  package func queued(_ requests: [@Sendable () async -> Response]) async throws -> [Response] {
    let (isHeld, release) = (Gate(), Semaphore())
    let database = database
    async let holding: Void = database.write { _ in
      isHeld.open()
      release.wait()
    }
    await isHeld.wait()
    let responses = try await withThrowingTaskGroup(of: (Int, Response).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask { (index, await request()) }
        try await waitUntil { database.waitingWrites > index }
      }
      release.signal()
      return try await group.reduce(into: [(Int, Response)]()) { $0.append($1) }
    }
    try await holding
    return responses.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
