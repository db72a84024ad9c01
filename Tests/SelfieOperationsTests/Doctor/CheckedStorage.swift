import APITestSupport
import Platform
import SelfieTestDocuments
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieOperations
@testable import SelfieTestControl

/// A storage with three photos, closed as after an orderly end, and what a check finds in it.
struct CheckedStorage {
  let api: APIFixture
  let ids: [String]

  var folder: TemporaryFolder { api.folder }

  /// - Parameter photos: how many there are.
  init(with seed: Seed = Seed(), photos: Int = 3) async throws {
    api = try APIFixture()
    let token = try await api.newUser()
    var ids: [String] = []
    let images = [Samples.png, Samples.jpeg, Samples.bytes(400_000)]
    for image in (0..<photos).map({ images[$0 % images.count] }) {
      ids.append(try await api.newPhoto(image, token: token))
    }
    self.ids = ids
    _ = try await api.state.seed(seed)
    try await api.application.upkeep.noteDigests()
    api.finishFiling()
    for name in ["/.", "/photos"] + ids.map({ "/photos/\($0.prefix(2))" }) {
      try FileSystem.setPermissions(folder.path + name, 0o700)
    }
    for name in ["selfie.sqlite3", "selfie.sqlite3-wal", "selfie.sqlite3-shm"] {
      try FileSystem.setPermissions("\(folder.path)/\(name)", 0o600)
    }
  }

  func path(_ number: Int) -> String { StorageLayout.photo(ids[number]) }

  func check(isServed: Bool = false, adjust: (inout StorageCheck) -> Void = { _ in }) async -> CheckOutcome {
    // The real time, since the files have it.
    await CheckOutcome(of: folder.path, now: unixMilliseconds(), isServed: isServed, adjust: adjust)
  }

  /// Repairs, for which no server may have the database open.
  func repair(adjust: (inout StorageCheck) -> Void = { _ in }) async -> CheckOutcome {
    api.database.close()
    return await check {
      $0.repairs = true
      adjust(&$0)
    }
  }
}

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
