import Foundation
import Testing

/// Run by `TLSServeTests` in a process of its own, which trusts the server's certificate.
@Suite(.enabled(if: ServerOverTLS.origin != nil, "a part of another test"), .timeLimit(.minutes(5)))
struct AppOverTLS {
  @Test func `the tutorial's app uploads a photo over TLS`() async throws {
    let app = TutorialApp(
      helper: HTTPHelper(
        apiAuthName: "name", apiAuthPassword: try #require(ServerOverTLS.password),
        baseURL: "\(try #require(ServerOverTLS.origin))/api"))
    try await app.makeSignUpRequest(name: "Jane Doe", email: "jane@example.com", password: "secret12")
    try await app.makeSignInRequest(email: "jane@example.com", password: "secret12")
    let photo = try await app.postBtnTapped(image: PNG.random(width: 300, height: 300), title: "one")
    #expect(try await app.loadSelfieData() == [photo])
  }
}

/// The server of `AppOverTLS`; nil in any other process.
enum ServerOverTLS {
  static let (originName, passwordName) = ("SELFIE_TESTS_ORIGIN", "SELFIE_TESTS_API_PASSWORD")
  static let origin = ProcessInfo.processInfo.environment[originName]
  static let password = ProcessInfo.processInfo.environment[passwordName]
}
