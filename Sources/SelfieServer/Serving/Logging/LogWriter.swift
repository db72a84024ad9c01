import Glibc
import HTTPMessages
import HTTPServer
import Logging
import Platform

/// Writes the lines of the log, in the order in which they were logged. `LogLine` has the format of a line.
///
/// Between `start` and `stop` a thread of its own writes them: no request waits for their reader. The first line after
/// a pause is written at once, and those that follow soon after in batches. If the reader stalls, or the disk of the log
/// is full, some lines wait, and the others are dropped and counted. The log says how many as soon as it can be written
/// again. Before `start` and after `stop`, each line is written as it comes, unless the reader has stalled.
final class LogWriter: Sendable {
  private struct State {
    /// Whether the thread writes the lines.
    var isBatched = false
    var thread: Thread?
    /// The beginning of lines of this millisecond.
    var prefix: [UInt8] = []
    var milliseconds: Int64?
    var pending: [UInt8] = []
    /// Lines that were dropped in all.
    var droppedLines: Int64 = 0
    /// Those of them that the log has told of.
    var reportedLines: Int64 = 0
    /// Whether the thread waits for the next line.
    var isIdle = false
    var isStopping = false
  }

  let format: Settings.LogFormat
  private let descriptor: Int32
  private let state = Monitor(State())
  private let maxPendingBytes: Int
  private let stopTimeout: Int64
  private let retryInterval: Int64

  /// In addition, for lines that are not routine.
  private static let maxNotableBytes = 1024 * 1024
  /// Written without waiting for more.
  private static let urgentBytes = 256 * 1024
  /// How long lines are gathered after a batch was written, in milliseconds.
  private static let gatheringTime: Int64 = 20

  /// - Parameters:
  ///   - maxPendingBytes: the default has room for a fifth of a second of a hundred thousand requests a second.
  ///   - stopTimeout: how long a server that stops waits for a reader that has stalled, in milliseconds.
  ///   - retryInterval: after which a full disk may have room again, in milliseconds.
  init(
    _ format: Settings.LogFormat, descriptor: Int32 = STDERR_FILENO, maxPendingBytes: Int = 4 * 1024 * 1024,
    stopTimeout: Int64 = 2_000, retryInterval: Int64 = 1_000
  ) {
    self.format = format
    self.descriptor = descriptor
    self.maxPendingBytes = maxPendingBytes
    self.stopTimeout = stopTimeout
    self.retryInterval = retryInterval
  }

  /// Lines that were dropped since the server started.
  var droppedLines: Int64 { state.withLock { $0.droppedLines } }

  /// Logs a line; does not block between `start` and `stop`.
  ///
  /// - Parameter isRoutine: whether it is one of very many, such as the line of a request. Some room is kept for others.
  func write(_ line: borrowing LogLine, isRoutine: Bool = false) {
    line.withBytes { line in
      state.withLock { state in
        let prefix = prefix(&state)
        if state.isBatched {
          append(prefix, line, isRoutine, to: &state)
        } else if writeOut((prefix + line)[...]) != nil {
          state.droppedLines += 1
        }
      }
    }
  }

  /// Formatted once a millisecond at most.
  private func prefix(_ state: inout State) -> [UInt8] {
    let now = unixMilliseconds()
    if exchange(&state.milliseconds, with: now) != now { state.prefix = Self.prefix(format, unixMilliseconds: now) }
    return state.prefix
  }

  /// `TIME `, or `{"time":"TIME",`.
  static func prefix(_ format: Settings.LogFormat, unixMilliseconds now: Int64) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 64)
    if format == .json { buffer.append("{\"time\":\"") }
    Timestamp.append(now, to: &buffer)
    buffer.append(format == .json ? "\"," : " ")
    return buffer.bytes
  }

  private func append(
    _ prefix: [UInt8], _ line: UnsafeBufferPointer<UInt8>, _ isRoutine: Bool, to state: inout State
  ) {
    let room = maxPendingBytes + (isRoutine ? 0 : Self.maxNotableBytes)
    let count = state.pending.count
    guard count + prefix.count + line.count <= room else { return state.droppedLines += 1 }
    state.pending.append(contentsOf: prefix)
    state.pending.append(contentsOf: line)
    let becomesUrgent = count < Self.urgentBytes && state.pending.count >= Self.urgentBytes
    guard state.isIdle || becomesUrgent else { return }
    state.isIdle = false
    self.state.notifyAll()
  }

  // MARK: - The thread

  func start() throws {
    let writer = try Thread(named: "log") { [self] in run() }
    state.withLock { ($0.thread, $0.isBatched) = (writer, true) }
  }

  /// Writes what is left, and waits for that unless the reader has stalled.
  func stop() {
    guard let thread = state.withLock({ $0.thread.take() }) else { return }
    state.withLock { $0.isStopping = true }
    state.notifyAll()
    let deadline = monotonicMilliseconds() + stopTimeout
    if state.wait(until: deadline, for: { $0.isBatched ? nil : () }) != nil { thread.join() }
  }

  private func run() {
    var batch: [UInt8] = []
    // Whether what was written last is the beginning of a line.
    var isMidLine = false
    while true {
      var reported: Int64 = 0
      let hasMore = state.wait { state -> Bool? in
        guard !state.pending.isEmpty else {
          state.isIdle = true
          guard state.isStopping else { return nil }
          state.isBatched = false
          return false
        }
        swap(&batch, &state.pending)
        reported = state.droppedLines - state.reportedLines
        if reported > 0 {
          batch += prefix(&state) + droppedLine(reported)
          state.reportedLines = state.droppedLines
        }
        return true
      }
      guard hasMore else { break }
      let unwritten = Int64(write(batch, isMidLine: &isMidLine).count { $0 == UInt8(ascii: "\n") })
      if unwritten > 0 {
        state.withLock { state in
          // The batch's last line says how many were dropped, if it is there.
          state.droppedLines += reported > 0 ? unwritten - 1 : unwritten
          state.reportedLines -= reported
        }
      }
      batch.removeAll(keepingCapacity: batch.capacity <= 2 * Self.urgentBytes)
      // For more lines, which one write then takes.
      state.wait(until: monotonicMilliseconds() + Self.gatheringTime) { state in
        state.isStopping || state.pending.count >= Self.urgentBytes ? () : nil
      }
    }
    state.notifyAll()
  }

  private func droppedLine(_ count: Int64) -> [UInt8] {
    var line = LogLine(
      format, level: "warning", message: "lines of the log were dropped, because they could not be written in time")
    line.field("count", count)
    line.end()
    return line.withBytes { Array($0) }
  }

  /// Writes a batch, in a line of its own if the one before was cut off.
  ///
  /// - Returns: the end that could not be written.
  private func write(_ batch: [UInt8], isMidLine: inout Bool) -> ArraySlice<UInt8> {
    let lineFeed = UInt8(ascii: "\n")
    if isMidLine, !writeWhenThereIsRoom([lineFeed]).isEmpty { return batch[...] }
    let rest = writeWhenThereIsRoom(batch)
    isMidLine = !rest.isEmpty && rest.startIndex > 0 && batch[rest.startIndex - 1] != lineFeed
    return rest
  }

  /// Waits while the disk is full, unless the server stops.
  ///
  /// - Returns: the bytes that could not be written.
  private func writeWhenThereIsRoom(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var failure = writeOut(bytes[...])
    // Also beyond a quota, or at the size limit of a file, which may be made shorter.
    while let (rest, error) = failure, [ENOSPC, EDQUOT, EFBIG].contains(error) {
      let isStopping = state.wait(until: monotonicMilliseconds() + retryInterval) { $0.isStopping ? true : nil }
      failure = writeOut(rest)
      if isStopping == true { break }
    }
    return failure?.rest ?? []
  }

  /// - Returns: the bytes that were not written, and why; nil if all were.
  private func writeOut(_ bytes: ArraySlice<UInt8>) -> (rest: ArraySlice<UInt8>, error: Int32)? {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      let error = count < 0 ? errno : EIO
      if error == EAGAIN {
        // Another process with the same pipe or terminal has made it non-blocking.
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&descriptor, 1, -1)
      } else if error != EINTR {
        return (rest, error)
      }
    }
    return nil
  }
}

extension LogWriter {
  /// Logs a line for a request, once its response has been sent.
  ///
  /// It has the pattern of the route, but no path and no query, which may hold a photo's id or a password. Only why a
  /// request was refused needs escapes, and comes last, since it is a sentence: the server, or a parser of it, has made
  /// every other value.
  func write(request: RequestRecord) {
    let facts = request.facts
    var line = LogLine(format, level: "info", message: "request", isPlain: true)
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
    if let detail = facts.errorDetail { line.field(text: "error_detail", "\(detail)") }
    line.end()
    write(line, isRoutine: true)
  }
}
