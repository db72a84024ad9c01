import Foundation
import TestSupport
import Testing

@testable import SelfieServerTesting

/// Servers in containers, by a stand-in for Docker whose images are executables.
@Suite(.timeLimit(.minutes(10))) struct ContainerTests {
  private let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SELFIE_") }.merging([
    "SELFIE_IMAGE": "\(Bundle.main.bundlePath)/selfie-server", "SELFIE_DOCKER": "\(checkout)/Tests/Control/docker",
  ]) { $1 }

  @Test func `one is started with the settings of its test, and stopped`() async throws {
    var configuration = SelfieServer.Configuration()
    (configuration.apiAuthName, configuration.apiAuthPassword) = ("name", "password")
    configuration.settings = ["MAX_PHOTO_BYTES": "5"]
    let server = try await SelfieServer.start(configuration, in: environment)
    let other = try await SelfieServer.start(.init(), in: environment)
    #expect(server.url != other.url && server.world == nil)
    let credentials = try #require(server.control.credentials)
    #expect(credentials.hasPrefix("tests:") && credentials != other.control.credentials)
    #expect((server.apiAuthName, other.apiAuthName) == ("name", "selfie-tests"))
    try await server.seed(.init(email: "ada@example.com", tokens: ["ada-token"]))
    #expect(try await App(server).upload("bytes!", title: "", token: "ada-token").status == 413)
    #expect(try await App(other).signUp("jo@example.com").status == 200)
    for server in [server, other] { await server.stop() }
    await #expect(throws: ControlError.self) { try await server.reset() }
  }

  @Test func `it may have a port, and one that does not start is an error`() async throws {
    let free = try await SelfieServer.run { $0.port }
    var configuration = SelfieServer.Configuration()
    configuration.port = free
    let server = try await SelfieServer.start(configuration, in: environment)
    #expect(server.port == free)
    let error = await #expect(throws: ControlError.self) {
      try await SelfieServer.start(configuration, in: environment)
    }
    #expect(error?.message.contains("did not start") == true)
    await server.stop()
  }
}
