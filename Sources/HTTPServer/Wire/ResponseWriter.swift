import Glibc
import HTTPMessages

/// Writes the heads of responses in HTTP/1.1 (RFC 9112 §4, §6). `PendingResponse` sends head and body.
struct ResponseWriter {
  private var date: [UInt8] = []
  private var dateSecond = 0

  /// - Parameter keepsAlive: whether the connection serves another request after this response.
  mutating func head(of response: Response, version: RequestHead.Version, keepsAlive: Bool) -> [UInt8] {
    refreshDate()
    var out = ByteBuffer(capacity: 160 + response.fields.lines.count)
    out.append("HTTP/1.1 ")
    out.append(decimal: UInt64(clamping: response.status.code))
    out.append(" ")
    out.append(response.status.reason)
    out.append("\r\n")
    out.append(date)
    out.append(response.fields.lines)
    if response.status.hasContent {
      if let length = response.body.length {
        out.append("Content-Length: ")
        out.append(decimal: length.magnitude)
        out.append("\r\n")
      } else if version.is11 {
        out.append("Transfer-Encoding: chunked\r\n")
      }
    }
    if !keepsAlive {
      out.append("Connection: close\r\n")
    } else if !version.is11 {
      out.append("Connection: keep-alive\r\n")
    }
    out.append("\r\n")
    return out.bytes
  }

  static let continueLine: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §6.6.1), made once a second.
  private mutating func refreshDate() {
    let now = time(nil)
    guard now != dateSecond else { return }
    dateSecond = now
    date = Array("Date: \(HTTPDate(unixSeconds: Int64(now)))\r\n".utf8)
  }
}

extension RequestHead.Version {
  /// Every response asks this several times, and `==` of another module's enum is a call by its table of functions.
  var is11: Bool { if case .http11 = self { true } else { false } }
}
