import HTTPMessages
import SelfieAPI

extension FaultRule {
  /// Whether the response is the normal one.
  var onlyDelays: Bool { status == nil && drop == nil && drip == nil && truncate == nil && malform == nil }

  /// The response to a request that is not handled; nil when the request is handled.
  ///
  /// - Parameter errorJSON: makes the body of an error.
  func replacement(_ errorJSON: (_ status: Int, _ message: String) -> [UInt8]) -> Response? {
    if let status { return response(Status(code: status), errorJSON) }
    guard drop == .beforeHandling else { return nil }
    var response = Response(status: .serviceUnavailable)
    response.transportFault = .dropped
    return response
  }

  private func response(_ status: Status, _ errorJSON: (_ status: Int, _ message: String) -> [UInt8]) -> Response {
    let type = text == nil ? "application/json; charset=utf-8" : "text/plain; charset=utf-8"
    let bytes = body ?? text.map { Array($0.utf8) } ?? errorJSON(status.code, message ?? "")
    var lines = fields.keys.contains { $0.lowercased() == "content-type" } ? "" : "Content-Type: \(type)\r\n"
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { lines += "\(name): \(value)\r\n" }
    var fields = ResponseFields(lines: "Cache-Control: no-cache\r\n")
    fields.append(lines: Array(lines.utf8))
    return Response(status: status, fields: fields, body: .bytes(bytes))
  }

  /// The effect on the normal response. One of unknown length is fetched first, since effects count bytes.
  func applied(to response: Response) async -> Response {
    var response = response
    if case .pages(let source) = response.body, let bytes = try? await source.collect() {
      response.body = .bytes(bytes)
    }
    let length = response.body.length ?? 0
    if let drop {
      // An empty body has no half, so the response would be whole.
      response.transportFault = drop == .inBody && length > 0 ? .truncated(after: length / 2) : .dropped
    }
    if let drip {
      response.transportFault = .throttled(piece: Int64(drip.bytes), pause: drip.every.milliseconds)
    }
    if let truncate {
      let count = truncate.bytes.map(Int64.init) ?? Int64((truncate.share ?? 1) * Double(length))
      // A response that lacks nothing keeps its connection: the client could not know that it ends.
      if count < length { response.transportFault = .truncated(after: count) }
    }
    malform?.apply(to: &response)
    return response
  }
}

extension FaultRule.Malformation {
  fileprivate func apply(to response: inout Response) {
    let length = response.body.length ?? 0
    switch self {
    case .statusLine: response.malform(line: "HTTP/x.y banana", length: "\(length)")
    case .fieldLine: response.malform(more: "X-Broken\u{0}: \r\nno field\r\n", length: "\(length)")
    // Without a body, the length is too large instead.
    case .contentLength: response.malform(length: "\(length > 0 ? length - 1 : 1)")
    case .lengthText: response.malform(length: "banana")
    case .chunk:
      response.malform(more: "Transfer-Encoding: chunked\r\n")
      if let bytes = response.body.content, !bytes.isEmpty {
        let size = String(bytes.count, radix: 16)
        response.body = .bytes(Array("\(size)\r\n".utf8) + bytes + Array("\r\nno size\r\n".utf8))
      } else {
        response.body = .bytes(Array("no size\r\n".utf8))
      }
    case .body: response.body = response.body.part(from: 0, count: length - 1)
    }
  }
}

extension Response {
  /// - Parameters:
  ///   - line: replaces the status line.
  ///   - more: lines after the fields.
  ///   - length: the value of Content-Length; nil for none.
  fileprivate mutating func malform(line: String? = nil, more: String = "", length: String? = nil) {
    let line = line ?? "HTTP/1.1 \(status.code) \(status.reason)"
    let length = length.map { "Content-Length: \($0)\r\n" } ?? ""
    transportFault = .malformed(
      head: Array("\(line)\r\n".utf8) + fields.lines + Array("\(length)\(more)Connection: close\r\n\r\n".utf8))
  }
}
