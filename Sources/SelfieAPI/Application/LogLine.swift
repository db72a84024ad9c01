import HTTPMessages
import Platform

/// Lines of the log as JSON.
public enum LogLine {
  /// `{"time":…,"level":…,"message":…,` and the metadata `}`, with a line feed.
  public static func json(
    time: String, level: String, message: String, metadata: [(name: String, value: String)]
  ) -> [UInt8] {
    JSONWriter.object { json in
      json.member("time", time)
      json.member("level", level)
      json.member("message", message)
      for (name, value) in metadata {
        json.key(text: name)
        json.string(value)
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
