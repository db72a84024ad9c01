import HTTPMessages
import Logging
import Platform

/// A line of the log, without its time. `LogWriter` adds the time and writes the line.
///
/// Characters that could control a terminal are escaped, in JSON too, since people read it in terminals.
struct LogLine: ~Copyable {
  private let format: Settings.LogFormat
  private var buffer = ByteBuffer(capacity: 512)

  /// `LEVEL MESSAGE`, or `"level":"…","message":"…"`.
  ///
  /// - Parameter isPlain: whether the message is known to need no escapes.
  init(_ format: Settings.LogFormat, level: String, message: String, isPlain: Bool = false) {
    self.format = format
    if format == .json { buffer.append("\"level\":\"") }
    buffer.append(text: level)
    buffer.append(format == .json ? "\",\"message\":" : " ")
    if isPlain { quoted { $0.append(text: message) } } else { append(escaping: message) }
  }

  /// Adds ` NAME=VALUE`, or `,"NAME":VALUE`. A number is one in JSON as well.
  mutating func field(text name: String, _ value: Logger.Metadata.Value) {
    buffer.append(format == .json ? "," : " ")
    append(escaping: name)
    buffer.append(format == .json ? ":" : "=")
    if case .stringConvertible(let number as any BinaryInteger) = value {
      buffer.append(number: Int64(clamping: number))
    } else {
      append(escaping: "\(value)")
    }
  }

  mutating func field(_ name: StaticString, _ number: Int64) {
    begin(name)
    buffer.append(number: number)
  }

  /// A number of seconds.
  mutating func field(_ name: StaticString, nanoseconds: Int64) {
    begin(name)
    let microseconds = nanoseconds.magnitude / 1000
    buffer.append(decimal: microseconds / 1_000_000)
    buffer.append(".")
    buffer.append(decimal: microseconds % 1_000_000, width: 6)
  }

  mutating func field(_ name: StaticString, isTrue: Bool) {
    begin(name)
    buffer.append(isTrue ? "true" : "false")
  }

  mutating func field(_ name: StaticString, plain text: StaticString) {
    begin(name)
    quoted { $0.append(text) }
  }

  mutating func field(_ name: StaticString, plain text: [UInt8]) {
    begin(name)
    quoted { $0.append(text) }
  }

  mutating func field(_ name: StaticString, plain text: String) {
    begin(name)
    quoted { $0.append(text: text) }
  }

  mutating func end() {
    buffer.append(format == .json ? "}\n" : "\n")
  }

  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    buffer.withBytes(body)
  }

  // MARK: - Parts

  private mutating func begin(_ name: StaticString) {
    if format == .json {
      buffer.append(UInt8(ascii: ","))
      buffer.append(UInt8(ascii: "\""), name, UInt8(ascii: "\""))
      buffer.append(UInt8(ascii: ":"))
    } else {
      buffer.append(UInt8(ascii: " "), name, UInt8(ascii: "="))
    }
  }

  private mutating func quoted(_ text: (inout ByteBuffer) -> Void) {
    if format == .json { buffer.append(UInt8(ascii: "\"")) }
    text(&buffer)
    if format == .json { buffer.append(UInt8(ascii: "\"")) }
  }

  private mutating func append(escaping text: String) {
    guard format == .json else { return buffer.append(text: text.printable) }
    var json = JSONWriter()
    json.string(text.printable)
    buffer.append(json.bytes)
  }
}
