import Foundation
import SelfieClient
import SelfieServerTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension SelfieClient {
  /// The app's client, set up for a test's server.
  init(_ server: SelfieServer) {
    self.init(
      baseURL: server.baseURL, authName: server.apiAuthName, authPassword: server.apiAuthPassword,
      session: URLSession(configuration: server.sessionConfiguration), encrypt: server.encrypted)
  }
}

@Suite struct SelfieClientTests {
  @Test func `a new user signs in and sees a photo that was uploaded`() async throws {
    try await SelfieServer.run { server in
      let client = SelfieClient(server)
      try await client.signUp(fullName: "Jane Doe", email: "jane@example.com", password: "secret12")
      let session = try await client.signIn(email: "jane@example.com", password: "secret12")
      let photo = try await client.upload(Data("image".utf8), title: "At the sea", session)
      #expect(try await client.photos(session) == [photo])
    }
  }

  @Test func `a wrong password is refused in words for the user`() async throws {
    try await SelfieServer.run { server in
      let client = SelfieClient(server)
      try await server.seed(.init(email: "jane@example.com", password: "secret12"))
      await #expect(throws: SelfieError.refused(status: 401, message: "Wrong Password")) {
        try await client.signIn(email: "jane@example.com", password: "wrong")
      }
    }
  }

  @Test func `a day later the user has to sign in again`() async throws {
    try await SelfieServer.run { server in
      let client = SelfieClient(server)
      let jane = try await server.seed(.init(email: "jane@example.com"))
      let session = try await client.signIn(email: jane.email, password: "secret12")
      try await server.clock.advance(by: .seconds(25 * 3600))
      await #expect(throws: SelfieError.sessionExpired) { try await client.photos(session) }
    }
  }

  @Test func `photos come as they were taken`() async throws {
    try await SelfieServer.run { server in
      let photos: [Seed.Photo] = [.init(title: "At the sea"), .init(title: "In the woods")]
      let jane = try await server.seed(.init(email: "jane@example.com", tokens: ["janes-token"], photos: photos))
      let shown = try await SelfieClient(server).photos(Session(token: "janes-token"))
      #expect(shown.map(\.title) == ["At the sea", "In the woods"])
      #expect(shown.map(\.random_id) == jane.photos.map(\.randomID))
    }
  }
}
