import APITestSupport
import Platform
import TestSupport
import SelfieTestDocuments
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
