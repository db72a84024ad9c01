import Platform

/// An event that a check reports. A problem is a `StorageIssue`, and `DoctorReport` in SelfieServer prints the events.
package enum CheckEvent: Sendable {
  case issue(StorageIssue)
  /// Something that the owner may want to know, and that does not have to be repaired.
  case remark(String)
  /// Something could not be checked, for this reason.
  case failure(String)
  case progress(Progress)
}

/// Counts what a check finds, and reports each finding at once, so that their number needs no memory.
final class Findings: Sendable {
  private let state = Monitor(CheckCounts())
  private let report: @Sendable (CheckEvent) -> Void

  init(_ report: @escaping @Sendable (CheckEvent) -> Void) {
    self.report = report
  }

  var counts: CheckCounts { state.withLock { $0 } }

  func count(_ change: (inout CheckCounts) -> Void) { state.withLock { change(&$0) } }

  /// - Parameters:
  ///   - done: ends the message if it is repaired.
  ///   - remedy: ends it otherwise.
  func add(
    _ kind: StorageIssue.Kind, _ subject: String, _ message: String, isRepaired: Bool = false, _ done: String = "",
    orElse remedy: String = ""
  ) {
    count {
      $0.findings += 1
      if isRepaired { $0.repaired += 1 }
    }
    // A folder's name or the database's words may be anything.
    let text = (message + (isRepaired ? done : remedy)).printable
    report(.issue(StorageIssue(kind: kind, subject: subject.printable, message: text, isRepaired: isRepaired)))
  }

  func show(_ progress: Progress) { report(.progress(progress)) }

  func remark(_ text: String) { report(.remark(text.printable)) }

  /// Runs a check, and reports its error instead of throwing it, so that the other checks run too.
  func attempt(_ check: () async throws -> Void) async {
    do { try await check() } catch { fail(error) }
  }

  func fail(_ error: any Error) {
    count { $0.failures += 1 }
    report(.failure("\(error)".printable))
  }
}
