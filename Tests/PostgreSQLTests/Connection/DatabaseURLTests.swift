import Platform
import Testing

@testable import PostgreSQL

@Suite struct `DATABASE_URL` {
  @Test func `is read as libpq reads it`() throws {
    let url = try DatabaseURL("postgres://ann:p%40ss@db.example:5433/selfies?sslmode=verify-full")
    #expect(url.parameters["user"] == "ann")
    #expect(url.parameters["password"] == "p@ss")
    #expect(url.parameters["host"] == "db.example")
    #expect(url.parameters["port"] == "5433")
    #expect(url.parameters["dbname"] == "selfies")
    #expect(url.parameters["sslmode"] == "verify-full")
    #expect(url.parameters["application_name"] == "selfie-server")
  }

  @Test func `may set what this program would set`() throws {
    let url = try DatabaseURL("postgresql://h/d?application_name=mine&options=-c%20statement_timeout%3D9s")
    #expect(url.parameters["application_name"] == "mine")
    #expect(
      url.parameters["options"]
        == "-c idle_in_transaction_session_timeout=30000 -c lock_timeout=2000 -c statement_timeout=5000 "
        + #"-c statement_timeout=9s -c default_transaction_isolation=read\ committed"#)
  }

  @Test func `names its connections in characters that the server keeps`() throws {
    #expect(try DatabaseURL("postgres://h/d?application_name=m%C3%BCller%09x").applicationName == "mllerx")
  }

  @Test(arguments: ["selfie-server", String(repeating: "long", count: 20)])
  func `names the connections of a process alike, and those of another process otherwise`(name: String) throws {
    let url = try DatabaseURL("postgres://h/d?application_name=\(name)")
    let marked = url.marked(by: .system).applicationName
    #expect(marked.hasPrefix(name.prefix(35) + " "))
    #expect(marked.suffix(13).wholeMatch(of: #/ [0-9a-f]{12}/#) != nil)
    // With 13 more for each connection, the server keeps all of it.
    #expect(marked.utf8.count <= 50)
    #expect(url.marked(by: .system).applicationName != marked)
  }

  @Test(arguments: [
    ("", "it must be postgres://"),
    ("mysql://ann:secret@h/d", "it must be postgres://"),
    ("host=h password=secret", "it must be postgres://"),
    ("postgres://ann:sec%zzret@h/d", "invalid percent-encoded token"),
    ("postgres://ann:secret@[::1/d", "end of string reached"),
    ("postgres://ann:secret@h/d?sslmod=require", "invalid URI query parameter sslmod"),
    ("postgres://ann:secret@h/d\0", "it must be postgres://"),
    ("postgres://ann:p@secret@h/d", "its parts cannot be told apart"),
    ("postgres://ann:p/secret@h/d", "its parts cannot be told apart"),
    ("postgres://ann:12/secret@h/d", "its parts cannot be told apart"),
  ])
  func `is refused by its name and without its password`(text: String, reason: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try DatabaseURL(text) }
    let message = try #require(error?.description)
    #expect(message.hasPrefix("DATABASE_URL: \(reason)"), "\(message)")
    #expect(!message.contains("secret"))
  }

  @Test func `never shows its password`() throws {
    let url = try DatabaseURL("postgres://ann:secret@h/d")
    var dumped = ""
    dump(url, to: &dumped)
    #expect(!"\(url) \(String(reflecting: url)) \(dumped)".contains("secret"))
  }
}
