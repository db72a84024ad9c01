import HTTPMessages
import Platform
import SelfieAPI

/// The checks of the storage that the owner's page starts, one at a time, and what the last one has found.
final class StorageChecks: Sendable {
  struct Report: Equatable {
    /// Unix milliseconds, at the check's end.
    var time: Int64
    /// Each is a line for people.
    var findings: [String] = []
    /// With those that are not listed.
    var findingCount: Int64 = 0
    /// Why something could not be checked.
    var failures: [String] = []
    var photos: Int64 = 0
  }

  private struct State {
    var isRunning = false
    var last: Report?
  }

  private let check: @Sendable () async throws -> [UInt8]
  private let clock: @Sendable () -> Int64
  private let state = Monitor(State())

  /// - Parameters:
  ///   - check: checks the storage, and returns the JSON that `doctor --json` prints.
  ///   - clock: the time in Unix milliseconds.
  init(_ check: @escaping @Sendable () async throws -> [UInt8], clock: @escaping @Sendable () -> Int64) {
    self.check = check
    self.clock = clock
  }

  var isRunning: Bool { state.withLock(\.isRunning) }
  /// Nil if none has ended since the start.
  var last: Report? { state.withLock(\.last) }

  /// Starts a check. Returns false if one runs already.
  func start() -> Bool {
    let isFirst = state.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return false }
    Task {
      let report: Report
      do {
        report = try Report(json: try await check(), time: clock())
      } catch {
        report = Report(time: clock(), failures: ["\(error)"])
      }
      state.withLock { $0 = State(isRunning: false, last: report) }
    }
    return true
  }
}

extension StorageChecks.Report {
  /// - Parameter json: as `doctor --json` prints it.
  fileprivate init(json: [UInt8], time: Int64) throws {
    guard case .object(let report)? = try? JSONReader.read(json), case .object(let counts)? = report["counts"],
      case .array(let findings)? = report["findings"], case .array(let failures)? = report["failures"]
    else { throw UnknownReport() }
    func count(_ name: String) -> Int64 {
      if case .number(let text)? = counts[name] { Int64(text) ?? 0 } else { 0 }
    }
    self.init(
      time: time, findings: findings.compactMap(Self.line), findingCount: count("findings"),
      failures: failures.compactMap { if case .string(let text) = $0 { text } else { nil } }, photos: count("photos"))
  }

  private static func line(_ finding: ParameterValue) -> String? {
    guard case .object(let members) = finding, case .string(let subject)? = members["subject"],
      case .string(let message)? = members["message"]
    else { return nil }
    return "\(subject): \(message)"
  }
}

private struct UnknownReport: Error, CustomStringConvertible {
  var description: String { "The check has printed no report." }
}
