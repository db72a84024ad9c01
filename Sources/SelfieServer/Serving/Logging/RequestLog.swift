import HTTPMessages
import HTTPServer
import Logging

// The line of each request. `LogWriter` writes it.
extension LogWriter {
  /// Logs a line for a request, once its response has been sent.
  ///
  /// It has the pattern of the route, but no path and no query, which may hold a photo's id or a password. Only why a
  /// request was refused needs escapes, and comes last, since it is a sentence: the server, or a parser of it, has made
  /// every other value.
  func write(request: RequestRecord) {
    let facts = request.facts
    var line = LogLine(format, level: "info", message: "request", isPlain: true)
    if let method = request.method { line.field("method", plain: method.name) }
    line.field("route", plain: facts.route ?? "unknown")
    if let status = request.status { line.field("status", Int64(status.code)) }
    line.field("bytes", request.bytesSent)
    line.field("bytes_received", request.bytesReceived)
    line.field("duration", nanoseconds: request.nanoseconds)
    if !request.isComplete { line.field("aborted", isTrue: true) }
    if let userID = facts.userID { line.field("user_id", userID) }
    if !facts.requestID.isEmpty { line.field("request_id", plain: facts.requestID) }
    if !facts.traceID.isEmpty { line.field("trace_id", plain: facts.traceID) }
    line.field("peer", plain: request.peer)
    if let client = facts.client { line.field("client", plain: client) }
    if let detail = facts.errorDetail { line.field(text: "error_detail", "\(detail)") }
    line.end()
    write(line, isRoutine: true)
  }
}
