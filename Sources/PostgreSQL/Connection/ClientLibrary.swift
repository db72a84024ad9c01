import CPostgreSQL
import Glibc

/// The calls of libpq that take arrays of C strings.
enum ClientLibrary {
  /// Begins to connect, without waiting; nil if there is no memory.
  ///
  /// libpq copies the strings. Each is freed here, after the call.
  static func startConnecting(_ parameters: [String: String]) -> OpaquePointer? {
    withCStrings(parameters) { PQconnectStartParams($0, $1, 0) }
  }

  /// Connects, and waits for that; nil if there is no memory.
  static func connect(_ parameters: [String: String]) -> OpaquePointer? {
    withCStrings(parameters) { PQconnectdbParams($0, $1, 0) }
  }

  /// The first line of what the last call on a connection has complained about.
  static func message(of connection: OpaquePointer) -> String {
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    return text.split(separator: "\n").first.map(String.init) ?? "the connection broke"
  }

  /// Keeps notices, such as that a table is there already, off standard error, where libpq prints them.
  static func ignoreNotices(_ connection: OpaquePointer) {
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
  }

  private static func withCStrings(
    _ parameters: [String: String],
    _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> OpaquePointer?
  ) -> OpaquePointer? {
    let keywords = parameters.keys.map { strdup($0) }
    let values = parameters.values.map { strdup($0) }
    defer { for text in keywords + values { free(text) } }
    func terminated(_ texts: [UnsafeMutablePointer<CChar>?]) -> [UnsafePointer<CChar>?] {
      texts.map { $0.map { UnsafePointer($0) } } + [nil]
    }
    return body(terminated(keywords), terminated(values))
  }
}
