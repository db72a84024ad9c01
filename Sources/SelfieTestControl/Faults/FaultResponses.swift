import Glibc
import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

// Makes the responses that a fault rule asks for. `FaultRules` decides which requests a rule applies to.

/// A response as a rule sends it.
struct FaultyResponse {
  let response: Response
  /// The part that the client can read, for the journal; nil if the connection is dropped before the response.
  let recorded: Response?
  /// The id of the last rule that fired; nil if none did.
  var rule: Int?

  init(_ response: Response, recorded: Response?) { (self.response, self.recorded) = (response, recorded) }

  /// One of which the client can read all.
  init(_ response: Response) { self.init(response, recorded: response) }

  /// Nothing is sent, and the connection is reset, as when a server crashes.
  static var dropped: FaultyResponse { unanswered { throw CancellationError() } }

  /// Nothing is sent, and the connection is closed in order.
  static var empty: FaultyResponse { unanswered { [] } }

  private static func unanswered(_ bytes: @escaping @Sendable () throws -> [UInt8]) -> FaultyResponse {
    FaultyResponse(Response(status: .serviceUnavailable, body: .raw(BodyStream { _, _ in try bytes() })), recorded: nil)
  }
}

extension FaultRule.Effect {
  /// The response to a request that is not handled; nil when the request is handled.
  ///
  /// - Parameter errorJSON: makes the body of an error.
  func replacement(_ errorJSON: (_ status: Int, _ message: String) -> [UInt8]) -> FaultyResponse? {
    switch self {
    case .response(let response): FaultyResponse(response.made(errorJSON))
    case .drop(.beforeHandling): .dropped
    case .drop, .drip, .truncate, .malform: nil
    }
  }

  /// The effect on the normal response. One of unknown length is fetched first, since effects count bytes.
  ///
  /// - Parameters:
  ///   - isHead: whether the response is sent without its body.
  ///   - pause: waits between two pieces of the body.
  func applied(
    to response: Response, isHead: Bool, pause: @escaping @Sendable (Duration) async -> Void
  ) async -> FaultyResponse {
    var response = response
    if case .pages(let source) = response.body, let bytes = try? await source.collect() {
      response.body = .bytes(bytes)
    }
    let length = isHead || !response.status.hasContent ? 0 : response.body.length ?? 0
    switch self {
    case .response: return FaultyResponse(response)
    case .drop(let moment): return response.dropped(moment, length: length)
    case .drip(let pieces):
      return length > 0 ? response.dripping(pieces, length: length, pause: pause) : .init(response)
    case .truncate(let cut):
      let count =
        switch cut {
        case .bytes(let count): Int64(count)
        case .share(let share): Int64(share * Double(length))
        }
      // A response that lacks nothing keeps its connection: the client could not know that it ends.
      return count < length ? response.truncated(after: count) : FaultyResponse(response)
    case .malform(let malformation): return malformation.applied(to: response, length: length)
    }
  }
}

extension FaultResponse {
  fileprivate func made(_ errorJSON: (_ status: Int, _ message: String) -> [UInt8]) -> Response {
    var (type, bytes) = ("application/json; charset=utf-8", [UInt8]())
    switch content {
    case .text(let text)?: (type, bytes) = ("text/plain; charset=utf-8", Array(text.utf8))
    case .json(let value)?: bytes = (try? JSONWriter.encode(value)) ?? []
    case .message(let message)?: bytes = errorJSON(status, message)
    case nil: bytes = errorJSON(status, "A fault rule answers this request with \(status).")
    }
    var lines = fields.keys.contains { $0.lowercased() == "content-type" } ? "" : "Content-Type: \(type)\r\n"
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { lines += "\(name): \(value)\r\n" }
    var made = ResponseFields(lines: "Cache-Control: no-cache\r\n")
    made.append(lines: Array(lines.utf8))
    return Response(status: Status(code: status), fields: made, body: .bytes(bytes))
  }
}

extension FaultRule.Malformation {
  /// - Parameter length: how many bytes of body are sent.
  fileprivate func applied(to response: Response, length: Int64) -> FaultyResponse {
    let close = "Connection: close"
    func lengthLine(_ value: some CustomStringConvertible) -> String { "Content-Length: \(value)" }
    let raw =
      switch self {
      case .statusLine: response.raw(line: "HTTP/x.y banana", [lengthLine(length), close], sent: length)
      case .fieldLine: response.raw([lengthLine(length), "X-Broken\u{0}: ", "no field", close], sent: length)
      // Without a body, the length is too large instead.
      case .contentLength: response.raw([lengthLine(length > 0 ? length - 1 : 1), close], sent: length)
      case .lengthText: response.raw([lengthLine("banana"), close], sent: length)
      case .chunk:
        response.raw(
          ["Transfer-Encoding: chunked", close], sent: length,
          before: length > 0 ? "\(String(length, radix: 16))\r\n" : "",
          after: (length > 0 ? "\r\n" : "") + "no size\r\n")
      case .body: response.part(upTo: (response.body.length ?? 0) - 1)
      }
    return FaultyResponse(raw, recorded: self == .body ? raw : response)
  }
}

extension Response {
  fileprivate func part(upTo count: Int64) -> Response {
    var part = self
    part.body = body.part(from: 0, count: count)
    return part
  }

  /// - Parameter length: how many bytes of body are sent.
  fileprivate func dropped(_ moment: FaultRule.Moment, length: Int64) -> FaultyResponse {
    switch moment {
    case .empty: .empty
    // An empty body has no half, so the response would be whole.
    case .inBody, .resetInBody: length > 0 ? truncated(after: length / 2, isReset: moment == .resetInBody) : .dropped
    case .beforeHandling, .beforeAnswer: .dropped
    }
  }

  /// - Parameter length: how many bytes of body are sent.
  fileprivate func dripping(
    _ pieces: FaultRule.Drip, length: Int64, pause: @escaping @Sendable (Duration) async -> Void
  ) -> FaultyResponse {
    let whole = body
    let stream = BodyStream { offset, count in
      if offset > 0 { await pause(.milliseconds(pieces.every.milliseconds)) }
      return try await whole.bytes(at: offset, count: min(count, pieces.bytes))
    }
    var slow = self
    slow.body = .stream(stream, offset: 0, length: length)
    return FaultyResponse(slow, recorded: self)
  }

  /// The head, with the length of the whole body, and the first bytes of the body. The client sees by the length that bytes
  /// are missing (RFC 9112 §8).
  ///
  /// - Parameter isReset: whether the connection then ends by a reset, which could discard bytes that the client has not
  ///   read, and not in order.
  fileprivate func truncated(after count: Int64, isReset: Bool = false) -> FaultyResponse {
    FaultyResponse(
      raw(["Content-Length: \(body.length ?? 0)"], sent: count, isReset: isReset), recorded: part(upTo: count))
  }

  /// The response with a head that is sent as it is.
  ///
  /// - Parameters:
  ///   - line: replaces the status line.
  ///   - lines: follow the fields.
  ///   - sent: how many bytes of the body are sent.
  ///   - before: is sent before the body, and `after` after it.
  fileprivate func raw(
    line: String? = nil, _ lines: [String], sent: Int64, before: String = "", after: String = "", isReset: Bool = false
  ) -> Response {
    let line = line ?? "HTTP/1.1 \(status.code) \(status.reason)"
    let head =
      Array("\(line)\r\n".utf8) + fields.lines + Array("\(lines.joined(separator: "\r\n"))\r\n\r\n\(before)".utf8)
    let (body, start, end) = (body, Int64(head.count), Int64(head.count) + sent)
    var raw = self
    raw.body = .raw(
      BodyStream { offset, count in
        if offset < start { return Array(head.dropFirst(Int(offset)).prefix(count)) }
        if offset < end { return try await body.bytes(at: offset - start, count: Int(min(Int64(count), end - offset))) }
        if isReset { throw CancellationError() }
        return Array(after.utf8.dropFirst(Int(offset - end)).prefix(count))
      })
    return raw
  }
}

extension Response.Body {
  /// The bytes from an offset on, at most `count`.
  fileprivate func bytes(at offset: Int64, count: Int) async throws -> [UInt8] {
    switch part(from: offset, count: Int64(count)) {
    case .bytes(let bytes): bytes
    case .file(let file, let offset, let length):
      try FileSystem.read(file, at: off_t(offset), Int(length), path: "photo")
    case .stream(let stream, let offset, let length): try await stream.piece(at: offset, count: Int(length))
    case .pages, .raw: []
    }
  }
}

extension Request {
  /// The request with a body that is read in pieces. The client can send no more than is read, so that its upload takes as
  /// long.
  ///
  /// - Parameter pause: waits between two of them.
  func reading(in pieces: FaultRule.Drip, pause: @escaping @Sendable (Duration) async -> Void) -> Request {
    let state = Monitor((rest: ArraySlice<UInt8>(), isFirst: true))
    return withBody { [body] () async throws(BodyError) -> [UInt8]? in
      if !state.withLock({ $0.isFirst }) { await pause(.milliseconds(pieces.every.milliseconds)) }
      if state.withLock({ $0.rest.isEmpty }) {
        guard let bytes = try await body.next() else { return nil }
        state.withLock { $0.rest = bytes[...] }
      }
      return state.withLock { state in
        defer { (state.rest, state.isFirst) = (state.rest.dropFirst(pieces.bytes), false) }
        return Array(state.rest.prefix(pieces.bytes))
      }
    }
  }
}
