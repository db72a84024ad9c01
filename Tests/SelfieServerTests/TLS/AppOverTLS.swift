import Foundation
import Testing

/// Run by `TLSServeTests` in a process of its own, which trusts the server's certificate.
@Suite(.enabled(if: ServerOverTLS.origin != nil, "a part of another test"), .timeLimit(.minutes(5)))
struct AppOverTLS {
  @Test func `the tutorial's app uploads a photo over TLS`() async throws {
    let app = TutorialApp(
      try #require(ServerOverTLS.origin), name: "name", password: try #require(ServerOverTLS.password))
    try await app.makeUser()
    let image = PNG.random(270_000)
    let photo = try await app.postBtnTapped(image: image)
    #expect(photo.url.hasPrefix("\(app.origin)/photos/"))
    #expect(try await app.download(photo.url).data == image)
    #expect(try await app.loadSelfieData() == [photo])
  }
}

/// The server of `AppOverTLS`; nil in any other process.
enum ServerOverTLS {
  static let (originName, passwordName) = ("SELFIE_TESTS_ORIGIN", "SELFIE_TESTS_API_PASSWORD")
  static let origin = ProcessInfo.processInfo.environment[originName]
  static let password = ProcessInfo.processInfo.environment[passwordName]
}
