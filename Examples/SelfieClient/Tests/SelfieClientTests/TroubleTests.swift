import Foundation
import SelfieClient
import SelfieServerTesting
import Testing

@Suite struct TroubleTests {
  @Test func `a server that is busy for a moment is asked again`() async throws {
    try await SelfieServer.run { server in
      try await server.faults.add(.status(503).on("POST", "/api/signup").times(2))
      try await SelfieClient(server).signUp(fullName: "Jane Doe", email: "jane@example.com", password: "secret12")
      try await server.requests.verify(.post("/api/signup"), exactly: 3)
    }
  }

  @Test func `a server that stays busy is said to be`() async throws {
    try await SelfieServer.run { server in
      try await server.faults.add(.status(503, message: "Too many people are here."))
      await #expect(throws: SelfieError.refused(status: 503, message: "Too many people are here.")) {
        try await SelfieClient(server).signUp(fullName: "Jane Doe", email: "jane@example.com", password: "secret12")
      }
    }
  }

  @Test func `a list of photos that breaks off is asked for again`() async throws {
    try await SelfieServer.run { server in
      let client = SelfieClient(server)
      try await server.seed(
        .init(email: "jane@example.com", tokens: ["janes-token"], photos: [.init(title: "At the sea")]))
      let session = Session(token: "janes-token")
      try await server.faults.add(.drop(.inBody).on("GET", "/api/get_photos").times(1))
      #expect(try await client.photos(session).map(\.title) == ["At the sea"])
      try await server.requests.verify(.get("/api/get_photos"), exactly: 2)
    }
  }

  @Test func `an upload that may have arrived is not sent again`() async throws {
    try await SelfieServer.run { server in
      let client = SelfieClient(server)
      try await server.seed(.init(email: "jane@example.com", tokens: ["janes-token"]))
      let session = Session(token: "janes-token")
      try await server.faults.add(.drop(.inBody).on("POST", "/api/upload_photo"))
      await #expect(throws: URLError.self) { try await client.upload(Data("image".utf8), title: "Sea", session) }
      try await server.requests.verify(.post("/api/upload_photo"), exactly: 1)
    }
  }
}
