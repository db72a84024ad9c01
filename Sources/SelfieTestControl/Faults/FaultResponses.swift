import HTTPMessages
import SelfieAPI

extension FaultRule.Effect {
  /// The response to a request that is not handled; nil when the request is handled.
  ///
  /// - Parameter errorJSON: makes the body of an error.
  func replacement(_ errorJSON: (_ status: Int, _ message: String) -> [UInt8]) -> Response? {
    switch self {
    case .stub(let stub): return stub.response(errorJSON)
    case .drop(.beforeHandling):
      var response = Response(status: .serviceUnavailable)
      response.transportFault = .dropped
      return response
    case .none, .drop, .drip, .truncate, .malform: return nil
    }
  }

  /// The effect on the normal response. One of unknown length is fetched first, since effects count bytes.
  func applied(to response: Response) async -> Response {
    var response = response
    if self != .none, case .pages(let source) = response.body, let bytes = try? await source.collect() {
      response.body = .bytes(bytes)
    }
    let length = response.body.length ?? 0
    switch self {
    case .none, .stub: break
    case .drop(.beforeHandling), .drop(.beforeAnswer): response.transportFault = .dropped
    case .drop(.inBody):
      // An empty body has no half, so the response would be whole.
      response.transportFault = length > 0 ? .truncated(after: length / 2) : .dropped
    case .drip(let bytes, let pause):
      response.transportFault = .throttled(piece: Int64(bytes), pause: pause.milliseconds)
    case .truncate(let cut):
      let count = cut.count(of: length)
      // A response that lacks nothing keeps its connection: the client could not know that it ends.
      if count < length { response.transportFault = .truncated(after: count) }
    case .malform(let malformation): malformation.apply(to: &response)
    }
    return response
  }
}

extension FaultRule.Cut {
  /// How many bytes remain of a body of `length` bytes that is longer.
  fileprivate func count(of length: Int64) -> Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes)
    case .share(let share): Int64(share * Double(length))
    }
  }
}

extension FaultRule.StubResponse {
  fileprivate func response(_ errorJSON: (_ status: Int, _ message: String) -> [UInt8]) -> Response {
    let type: String
    let body: [UInt8]
    switch content {
    case .message(let message):
      type = "application/json; charset=utf-8"
      body = errorJSON(status, message)
    case .json(let bytes): (type, body) = ("application/json; charset=utf-8", bytes)
    case .text(let text): (type, body) = ("text/plain; charset=utf-8", Array(text.utf8))
    }
    var lines = fields.keys.contains { $0.lowercased() == "content-type" } ? "" : "Content-Type: \(type)\r\n"
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { lines += "\(name): \(value)\r\n" }
    var fields = ResponseFields(lines: "Cache-Control: no-cache\r\n")
    fields.append(lines: Array(lines.utf8))
    return Response(status: Status(code: status), fields: fields, body: .bytes(body))
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
    case .body:
      switch response.body {
      case .bytes(let bytes): response.body = .bytes(Array(bytes.dropLast()))
      case .file(let file, let offset, let length):
        response.body = .file(file, offset: offset, length: max(0, length - 1))
      case .stream(let stream, let offset, let length):
        response.body = .stream(stream, offset: offset, length: max(0, length - 1))
      case .pages: break
      }
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
