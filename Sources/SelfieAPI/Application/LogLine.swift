import HTTPMessages
import Platform

/// Lines of the log. What clients or file names could control a terminal with is escaped, in JSON too, since people read
/// it in terminals.
public enum LogLine {
  /// `TIME LEVEL MESSAGE NAME=VALUE …`, with a line feed.
  public static func text(
    time: String, level: String, message: String, metadata: [(name: String, value: String)]
  ) -> [UInt8] {
    let pairs = metadata.map { " \($0.name)=\($0.value)" }.joined()
    return Array("\(time) \(level) \(message)\(pairs)".printable.utf8) + [UInt8(ascii: "\n")]
  }

  /// `{"time":…,"level":…,"message":…,` and the metadata `}`, with a line feed.
  public static func json(
    time: String, level: String, message: String, metadata: [(name: String, value: String)]
  ) -> [UInt8] {
    JSONWriter.object { json in
      json.member("time", time)
      json.member("level", level)
      json.member("message", message.printable)
      for (name, value) in metadata {
        json.key(text: name.printable)
        json.string(value.printable)
      }
    } + [UInt8(ascii: "\n")]
  }

  /// `2026-11-20T22:24:16.641Z`.
  public static func timestamp(unixMilliseconds: Int64) -> String {
    var buffer = ByteBuffer(capacity: 32)
    Timestamp.append(unixMilliseconds, to: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}
