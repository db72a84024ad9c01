import Foundation
import SQLite
import TestSupport

/// What a clock does to tokens: one that is ahead deletes none, and one that expires during an upload loses no photo.
extension Torture {
  func outliveTokens() throws {
    try onCopy { try startLongAfter($0) }
    try onCopy { try expireDuringUpload($0) }
  }

  /// Each token has expired decades ago, as after a start with a clock that nobody has set.
  private func startLongAfter(_ storage: String) throws {
    func count() throws -> Int64 {
      let connection = try Connection(path: "\(storage)/selfie.sqlite3", mode: .readWrite)
      defer { connection.close() }
      try connection.execute("UPDATE tokens SET expires_at = 2, created_at = 1")
      return try connection.query("SELECT count(*) FROM tokens") { $0.integer(0) }.first ?? 0
    }
    let before = try count()
    let (server, client) = try serve(storage)
    // A response to this waits for the writer, and so for what the start has begun.
    let app = AppRequests.torture
    guard try client.send(app.signUp("time@example.com", "password")).status == 200 else {
      throw Violation("a server whose tokens are old takes no sign-up: \(subject.endOfLog)")
    }
    try server.stop()
    guard try count() == before else { throw Violation("a start has deleted expired tokens") }
  }

  private func expireDuringUpload(_ storage: String) throws {
    let (server, client) = try serve(storage, ["TOKEN_LIFETIME": "1"])
    let app = AppRequests.torture
    let (email, password) = ("late@example.com", "password")
    _ = try client.send(app.signUp(email, password))
    let token = try client.send(app.signIn(email, password)).text("api_authtoken")
    let bytes = app.upload(token, chance.bytes(200_000), title: "late").bytes(host: "127.0.0.1")
    let upload = try RawClient()
    try upload.connect(to: client.port)
    try upload.send(Array(bytes.prefix(100_000)))
    while try client.send(app.photos(token)).status == 200 { usleep(50_000) }
    guard try client.send(app.signIn(email, password)).status == 200 else { throw Violation("no second sign-in") }
    try upload.send(Array(bytes.dropFirst(100_000)))
    let response = try upload.response()
    guard response.status == 200 else {
      throw Violation("an upload whose token expired meanwhile was refused: \(response.text)")
    }
    try server.stop()
  }

  private func serve(_ storage: String, _ others: [String: String] = [:]) throws -> (server: Child, client: Client) {
    let server = try subject.launch(["STORAGE_DIR": storage].merging(others) { $1 })
    guard let port = server.line()?.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw Violation("the server does not start: \(subject.endOfLog)")
    }
    return (server, Client(port: port))
  }
}
