import Platform

@testable import SelfieOperations

/// The findings of a check, in their order.
struct CheckOutcome {
  var findings: [StorageIssue] = []
  var remarks: [String] = []
  var failures: [String] = []
  var counts = CheckCounts()

  /// The kinds, with `!` once it is repaired.
  var kinds: [String] { findings.map { $0.kind.rawValue + ($0.isRepaired ? " !" : "") } }

  /// Each as `kind subject`, with `!` once it is repaired.
  var summary: [String] { findings.map { "\($0.kind.rawValue) \($0.subject)\($0.isRepaired ? " !" : "")" } }

  /// - Parameters:
  ///   - kind: depends on the machine of the tests, and so is left out.
  ///   - run: runs the check, which reports to the function.
  init(without kind: StorageIssue.Kind, _ run: (@escaping @Sendable (CheckEvent) -> Void) async -> CheckCounts) async {
    let outcome = Monitor<([StorageIssue], [String], [String])>(([], [], []))
    counts = await run { event in
      outcome.withLock { outcome in
        switch event {
        case .issue(let issue): if issue.kind != kind { outcome.0.append(issue) }
        case .remark(let text): outcome.1.append(text)
        case .failure(let text): outcome.2.append(text)
        case .progress: break
        }
      }
    }
    (findings, remarks, failures) = outcome.withLock { $0 }
  }

  /// Checks a storage folder.
  ///
  /// - Parameter now: in Unix milliseconds.
  init(
    of storage: String, now: Int64, isServed: Bool = false, adjust: (inout StorageCheck) -> Void = { _ in }
  ) async {
    await self.init(without: .freeSpace) { report in
      var check = StorageCheck(storage: storage, now: now, isServed: { isServed }, report: report)
      adjust(&check)
      return await check.run()
    }
  }
}
