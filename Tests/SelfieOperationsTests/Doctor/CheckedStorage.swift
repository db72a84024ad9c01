import APITestSupport
import Cryptography
import Glibc
import Platform
import SQL
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl
@testable import SelfieOperations

/// A storage with three photos, closed as after an orderly end, and what a check finds in it.
struct CheckedStorage {
  let api: APIFixture
  let ids: [String]

  var folder: TemporaryFolder { api.folder }

  init(with seed: Seed = Seed()) async throws {
    api = try APIFixture()
    let token = try await api.newUser()
    var ids: [String] = []
    for image in [Samples.png, Samples.jpeg, Samples.bytes(400_000)] {
      ids.append(try await api.newPhoto(image, token: token))
    }
    self.ids = ids
    _ = try await api.state.seed(seed)
    try await api.application.noteDigests()
    api.finishFiling()
    for name in ["/.", "/photos"] + ids.map({ "/photos/\($0.prefix(2))" }) {
      try FileSystem.setPermissions(folder.path + name, 0o700)
    }
    for name in ["selfie.sqlite3", "selfie.sqlite3-wal", "selfie.sqlite3-shm"] {
      try FileSystem.setPermissions("\(folder.path)/\(name)", 0o600)
    }
  }

  func path(_ number: Int) -> String { StorageLayout.photo(ids[number]) }

  /// What is found, in the order in which it is.
  struct Outcome {
    var findings: [StorageIssue] = []
    var remarks: [String] = []
    var failures: [String] = []
    var counts = CheckCounts()

    /// Each as `kind subject`, with `!` once it is repaired.
    var summary: [String] { findings.map { "\($0.kind.rawValue) \($0.subject)\($0.isRepaired ? " !" : "")" } }
  }

  func check(
    isServed: Bool = false, adjust: (inout StorageCheck.Options) -> Void = { _ in }
  ) async -> Outcome {
    var options = StorageCheck.Options()
    adjust(&options)
    let outcome = Monitor(Outcome())
    let check = StorageCheck(
      storage: folder.path, migrations: .sqlite, options: options, now: now, isServed: { isServed }
    ) { event in
      outcome.withLock { outcome in
        switch event {
        // How full the disk of the tests is says nothing of the check.
        case .issue(let issue): if issue.kind != .freeSpace { outcome.findings.append(issue) }
        case .remark(let text): outcome.remarks.append(text)
        case .failure(let text): outcome.failures.append(text)
        }
      }
    }
    let counts = await check.run()
    return outcome.withLock { outcome in
      outcome.counts = counts
      return outcome
    }
  }

  /// Repairs, for which no server may have the database open.
  func repair(adjust: (inout StorageCheck.Options) -> Void = { _ in }) async -> Outcome {
    api.database.close()
    return await check {
      $0.repairs = true
      adjust(&$0)
    }
  }

  /// The real time, since the files have it.
  private var now: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000
  }
}
