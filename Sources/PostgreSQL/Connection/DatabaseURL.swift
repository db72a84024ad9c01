import CPostgreSQL
import Cryptography
package import Platform

/// Where a database is, and how to sign in: the setting DATABASE_URL, such as `postgres://user:password@host/name`.
/// `PoolLimits` has the limits of its connections.
///
/// libpq reads it, so its parts and parameters (`sslmode` and so on) mean what they mean to libpq
/// (postgresql.org/docs/15/libpq-connect.html). The password is in no description of it.
package struct DatabaseURL: Sendable {
  /// The values by libpq's keywords, with those that are added below.
  private(set) var parameters: [String: String]

  /// - Parameters:
  ///   - statementTimeout: after how many milliseconds the server stops a statement.
  ///   - lockTimeout: after how many milliseconds it stops one that waits for a lock.
  package init(
    _ text: String, statementTimeout: Int64 = 5000, lockTimeout: Int64 = 2000
  ) throws(ConfigurationError) {
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), !text.utf8.contains(0) else {
      throw Self.problem("it must be postgres://USER:PASSWORD@HOST:PORT/NAME")
    }
    // If the password has an @ or / that is not encoded, libpq takes a part of it for the host, and shows it in errors.
    let parts = text.prefix { $0 != "?" }.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 1 || parts.count == 2 && parts[0].split(separator: "/").count <= 2 else {
      throw Self.problem("its parts cannot be told apart. In the password, write @ as %40, / as %2F and : as %3A")
    }
    var parameters = try Self.parse(text)
    // The address's own parameters take precedence over these.
    let defaults = [
      "application_name": "selfie-server", "connect_timeout": "5",
      "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3", "tcp_user_timeout": "30000",
      // Without it libpq asks a Kerberos library first, which may block.
      "gssencmode": "disable",
      // Not a standby: of several hosts, the one that writes.
      "target_session_attrs": "read-write",
    ]
    parameters.merge(defaults) { given, _ in given }
    parameters["client_encoding"] = "UTF8"
    // The last of several `-c` of a name counts, so those of the address come after this one.
    let timeouts = [
      "statement_timeout": statementTimeout, "lock_timeout": lockTimeout,
      // Ends a connection whose transaction waits for the rest of a write. Meanwhile it may hold locks.
      "idle_in_transaction_session_timeout": 30_000,
    ]
    // So this one comes last. With another isolation, what a write sees would not be what the holders of its locks have
    // committed.
    let isolation = #"-c default_transaction_isolation=read\ committed"#
    let options = timeouts.map { "-c \($0)=\($1)" }.sorted() + [parameters["options"], isolation].compactMap(\.self)
    parameters["options"] = options.joined(separator: " ")
    self.parameters = parameters
  }

  /// The name of the program, as the server shows it. The server shows other characters than these as something else.
  var applicationName: String {
    (parameters["application_name"] ?? "").filter { $0.isASCII && $0 >= " " && $0 <= "~" }
  }

  /// The address for one process of that program. The names of its connections begin with this one, so that the server
  /// tells them from those of other processes.
  func marked(by random: RandomSource) -> DatabaseURL {
    var url = self
    // The server keeps the first 63 bytes of a name, and each connection adds 13.
    url.parameters["application_name"] = "\(applicationName.prefix(35)) \(Digest.hex(random.bytes(6)))"
    return url
  }

  /// A name for one more connection, which no other one has: the server shows it in place of the program's.
  func newConnectionName(_ random: RandomSource) -> String {
    // The server keeps the first 63 bytes of a name.
    "\(applicationName.prefix(48)) \(Digest.hex(random.bytes(6)))"
  }

  private static func parse(_ text: String) throws(ConfigurationError) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let first = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      throw problem(reason(message.map { String(cString: $0) } ?? "out of memory"))
    }
    defer { PQconninfoFree(first) }
    var parameters: [String: String] = [:]
    // libpq ends the array by an option without a keyword.
    var option = first
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { parameters[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    return parameters
  }

  /// Names the setting, and does not show its value.
  static func problem(_ reason: String) -> ConfigurationError {
    ConfigurationError("DATABASE_URL: \(reason).")
  }

  /// libpq's words without what they quote, which may be the password or the whole address. The name of a parameter is
  /// the exception.
  private static func reason(_ message: String) -> String {
    let parameter = message.prefixMatch(of: /invalid URI query parameter: "([a-z_]+)"/).map { " \($0.1)" } ?? ""
    return message.prefix { !"\":\n".contains($0) } + parameter
  }
}

extension DatabaseURL: CustomStringConvertible, CustomReflectable {
  package var description: String {
    "postgres://\(parameters["host"] ?? "localhost")/\(parameters["dbname"] ?? parameters["user"] ?? "")"
  }

  /// Without the parameters, one of which is the password.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
