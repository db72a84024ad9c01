import HTTPMessages

/// The time at the beginning of each line, formatted once a millisecond at most.
struct LogTime {
  private var milliseconds: Int64?
  private var bytes: [UInt8] = []

  /// `TIME `, or `{"time":"TIME",`.
  mutating func prefix(_ format: Settings.LogFormat, unixMilliseconds now: Int64) -> [UInt8] {
    guard now != milliseconds else { return bytes }
    milliseconds = now
    var buffer = ByteBuffer(capacity: 64)
    if format == .json { buffer.append("{\"time\":\"") }
    Timestamp.append(now, to: &buffer)
    buffer.append(format == .json ? "\"," : " ")
    bytes = buffer.bytes
    return bytes
  }
}
