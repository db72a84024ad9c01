/// Waits for a condition that nothing announces. The time limit of the test's suite ends what would wait for ever.
///
/// It looks less and less often: many conditions take a process, and would take the processor from what they wait for.
package func waitUntil(_ condition: () async throws -> Bool) async throws {
  var pause = 1
  while try await !condition() {
    try await Task.sleep(for: .milliseconds(pause))
    pause = min(2 * pause, 16)
  }
}
