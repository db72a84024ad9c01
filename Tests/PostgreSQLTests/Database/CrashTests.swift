import Glibc
import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

/// On a server of their own, which they crash.
@Suite(
  .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .serialized,
  .timeLimit(.minutes(10)))
struct `A PostgreSQL server` {
  private static let certificate = Result { try TestCertificate() }
  private static let server = Result { try PostgreSQLServer(certificate: certificate.get()) }

  private let server: PostgreSQLServer

  init() throws {
    server = try Self.server.get()
  }

  enum Crash: CaseIterable {
    /// A process that serves a connection is killed. The server ends all others, and recovers by itself.
    case ofOneProcess
    /// The server's first process is killed, and the server is started again.
    case ofTheServer
  }

  @Test(arguments: Crash.allCases)
  func `may crash in the middle of a commit, which is then found out`(crash: Crash) async throws {
    let setUp = try BlockingConnection(server.url())
    try setUp.execute(
      """
      DROP TABLE IF EXISTS crashed;
      CREATE TABLE crashed (mark text);
      CREATE OR REPLACE FUNCTION wait_in_commit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER crashed AFTER INSERT ON crashed DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait_in_commit();
      SELECT pg_advisory_lock(1)
      """)
    try PostgreSQLServer.createCommits(server.url())
    let database = try PostgreSQLDatabase(
      server.url(lockTimeout: 0), clock: { monotonicMilliseconds() })
    defer { database.close() }
    async let changes = database.write(locking: []) { tx in
      try tx.run(Query("INSERT INTO crashed VALUES ($1)", "one"))
    }
    var process: Int64?
    try await waitUntil {
      process = try setUp.rows("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").first?
        .integer(0)
      return process != nil
    }
    let committing = pid_t(try #require(process))
    switch crash {
    case .ofOneProcess: kill(committing, SIGKILL)
    case .ofTheServer: try await Blocking.run { [server] in try server.crash() }
    }
    #expect(try await changes == 1)
    let rows = try BlockingConnection(server.url()).rows("SELECT mark FROM crashed")
    #expect(rows.map { $0.text(0) } == ["one"])
    #expect(database.statistics.lostOutcomes == 1)
  }

  private func failure(_ url: DatabaseURL) throws -> String {
    do {
      let connection = try BlockingConnection(url)
      let row = try connection.rows("SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()").first
      return row?.integer(0) == 1 ? "" : "without TLS"
    } catch {
      return error.message
    }
  }

  @Test func `must show the certificate that the client trusts, for the host's name`() throws {
    let trusted = try Self.certificate.get()
    #expect(try failure(DatabaseURL(server.tlsAddress(root: trusted))) == "")
    let byAnother = try failure(DatabaseURL(server.tlsAddress(root: TestCertificate())))
    #expect(byAnother.contains("certificate verify failed"), "\(byAnother)")
    let ofAnother = try failure(DatabaseURL(server.tlsAddress(name: "127.0.0.1", root: trusted)))
    #expect(ofAnother.contains("does not match host name"), "\(ofAnother)")
  }
}
