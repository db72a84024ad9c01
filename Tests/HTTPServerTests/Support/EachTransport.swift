import TestSupport
import Testing

/// Runs each test of a suite twice: over plain TCP, and over TLS.
struct EachTransport: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await function()
    guard !test.traits.contains(where: { $0 is PlainOnly }) else { return }
    try await TestTransport.$tls.withValue(ClientTLS.Options()) { try await function() }
  }
}

/// For a test of what a server says to a client that has no TLS. `HostileHandshakeTests` has the counterparts.
struct PlainOnly: TestTrait {}

extension Trait where Self == EachTransport {
  static var eachTransport: Self { EachTransport() }
}

extension Trait where Self == PlainOnly {
  static var plainOnly: Self { PlainOnly() }
}
