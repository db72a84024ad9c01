import Glibc
import HTTPMessages

/// Turns answers into the bytes of HTTP/1.1 (RFC 9112 §4, §6).
struct ResponseWriter {
  private var date: [UInt8] = []
  private var dateSecond = 0

  /// The head of an answer, and the body too when it is in memory.
  ///
  /// - Parameters:
  ///   - keepsAlive: whether the connection serves another request after this answer.
  ///   - omitsBody: for HEAD: the length is told, the body stays behind (RFC 9110 §9.3.2).
  mutating func serialize(
    _ response: Response, version: RequestHead.Version, keepsAlive: Bool, omitsBody: Bool
  ) -> [UInt8] {
    refreshDate()
    let hasContent = response.status.hasContent
    let length: Int64
    var content: [UInt8] = []
    switch response.body {
    case .bytes(let bytes):
      length = Int64(bytes.count)
      if !omitsBody && hasContent { content = bytes }
    case .file(_, _, let count):
      length = count
    }
    var out: [UInt8] = []
    out.reserveCapacity(160 + response.fields.lines.count + content.count)
    appendStatusLine(response.status, to: &out)
    out.append(contentsOf: date)
    out.append(contentsOf: response.fields.lines)
    if hasContent {
      append("Content-Length: ", to: &out)
      append(length, to: &out)
      append("\r\n", to: &out)
    }
    if !keepsAlive {
      append("Connection: close\r\n", to: &out)
    } else if version == .http10 {
      append("Connection: keep-alive\r\n", to: &out)
    }
    append("\r\n", to: &out)
    out.append(contentsOf: content)
    return out
  }

  static let continueLine: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  private func appendStatusLine(_ status: Status, to out: inout [UInt8]) {
    append("HTTP/1.1 ", to: &out)
    append(Int64(status.code), to: &out)
    append(" ", to: &out)
    append(status.reason, to: &out)
    append("\r\n", to: &out)
  }

  private func append(_ text: StaticString, to out: inout [UInt8]) {
    text.withUTF8Buffer { out.append(contentsOf: $0) }
  }

  private func append(_ number: Int64, to out: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number.magnitude
      var start = digits.count
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      out.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §6.6.1), made once a second.
  private mutating func refreshDate() {
    let now = time(nil)
    guard now != dateSecond else { return }
    dateSecond = now
    date = Array("Date: \(HTTPDate(unixSeconds: Int64(now)))\r\n".utf8)
  }
}
