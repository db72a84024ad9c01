import HTTPServer

/// Logs a line for each request, once its response has been sent.
///
/// No path and no query stand in it, which may hold a photo's id or a password, but the pattern of the route. So
/// nothing needs an escape: the server, or a parser of it, has made every value.
struct RequestLog: Sendable {
  let writer: LogWriter

  func write(_ request: RequestRecord) {
    let facts = request.facts
    var line = LogLine(writer.format, level: "info", plainMessage: "request")
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
    line.end()
    writer.write(line, .routine)
  }
}
