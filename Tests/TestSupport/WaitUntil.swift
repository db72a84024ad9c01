/// Waits for a condition that nothing announces. The time limit of the test's suite ends what would wait for ever.
public func waitUntil(_ condition: () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
