import COpenSSL
import CPostgreSQL
import Cryptography
import Glibc
import SQL

/// A connection of libpq. It is closed with the last reference to it. `BlockingConnection` runs statements and
/// transactions on it.
final class ClientConnection {
  let handle: OpaquePointer

  /// Connects, and waits for that.
  ///
  /// - Parameter findsCode: whether an error has its code. That takes a second attempt, since only then libpq can be
  ///   asked for it.
  init(_ url: DatabaseURL, name: String, findsCode: Bool = false) throws(SharedDatabaseError) {
    guard let handle = Self.connect(url.parameters.merging(["application_name": name]) { $1 }) else {
      throw SharedDatabaseError(.away, "out of memory")
    }
    if findsCode, PQstatus(handle) != CONNECTION_OK {
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      PQreset(handle)
      PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    }
    guard PQstatus(handle) == CONNECTION_OK else {
      defer { PQfinish(handle) }
      throw .ofConnecting(Self.message(of: handle))
    }
    // libpq would print notices, such as that a table is there already, to standard error.
    PQsetNoticeReceiver(handle, { _, _ in }, nil)
    self.handle = handle
  }

  deinit {
    PQfinish(handle)
  }

  /// The first line of what the last call has complained about.
  var message: String { Self.message(of: handle) }

  /// Whether OpenSSL has more of a record of which libpq has taken a part.
  ///
  /// libpq asks for it once in each PQconsumeInput, and may not have room for a record of more than eight kilobytes, such
  /// as some poolers send. The rest then waits in OpenSSL, where no event of the socket tells of it.
  var hasRestOfTLSRecord: Bool {
    // libpq returns the SSL of this name, and nil where it uses another library or no TLS.
    guard let ssl = PQsslStruct(handle, "OpenSSL") else { return false }
    return SSL_pending(OpaquePointer(ssl)) > 0
  }

  /// The name of a prepared statement, which says what its SQL is. Behind a PgBouncer several clients share the server's
  /// connections: a name that two of them gave to different statements would run the wrong one.
  static func statementName(of sql: StaticString) -> String {
    "s\(Digest.hex(Digest.sha256(Array(sql.description.utf8))).prefix(24))"
  }

  /// Sends a statement, whose results are to be binary; false if the connection is broken.
  ///
  /// - Parameter name: of the prepared statement; nil if it is not prepared.
  func send(_ sql: StaticString, _ parameters: EncodedParameters, preparedAs name: String?) -> Bool {
    parameters.withPointers { count, values, lengths, formats in
      guard let name else {
        return PQsendQueryParams(handle, sql.description, count, nil, values, lengths, formats, 1) == 1
      }
      return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
    }
  }

  private static func message(of handle: OpaquePointer) -> String {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    return text.split(separator: "\n").first.map(String.init) ?? "the connection broke"
  }

  /// Nil if there is no memory. libpq copies the strings, each of which is freed after the call.
  private static func connect(_ parameters: [String: String]) -> OpaquePointer? {
    let keywords = parameters.keys.map { strdup($0) }
    let values = parameters.values.map { strdup($0) }
    defer { for text in keywords + values { free(text) } }
    func terminated(_ texts: [UnsafeMutablePointer<CChar>?]) -> [UnsafePointer<CChar>?] {
      texts.map { $0.map { UnsafePointer($0) } } + [nil]
    }
    return PQconnectdbParams(terminated(keywords), terminated(values), 0)
  }
}
