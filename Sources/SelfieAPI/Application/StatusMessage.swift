package import HTTPMessages

/// `{"status":N,"message":"…"}`, which clients show: all errors, and successes that have nothing else to tell.
/// `ErrorFormat` has the errors of the other apps.
package enum StatusMessage {
  package static func json(_ status: Int, _ message: String) -> [UInt8] {
    JSONWriter.object { write(status, message, to: &$0) }
  }

  /// Writes the two members into an object that has more.
  package static func write(_ status: Int, _ message: String, to json: inout JSONWriter) {
    json.member("status", Int64(status))
    json.member("message", message)
  }
}
