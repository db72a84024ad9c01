import Foundation
import TestSupport
import Testing

/// A storage and backups on a file system that ignores permissions, such as NTFS and exFAT.
@Suite(.timeLimit(.minutes(10)), .enabled(if: BindMount.isPossible, "bindfs and FUSE are needed"))
struct IgnoredPermissionsTests {
  @Test func `it is a warning, and nothing is said to be restricted`() async throws {
    let folder = try TemporaryFolder()
    for name in ["data/storage", "data/backups"] { try folder.makeFolder(name) }
    let mount = try BindMount(of: "\(folder.path)/data", options: ["--chmod-ignore", "--perms=a=rwX"])
    let (storage, backups) = ("\(mount.path)/storage", "\(mount.path)/backups")
    let environment = ["STORAGE_DIR": storage, "BACKUP_DIR": backups, "BACKUP_EVERY": "1h"]
      .merging(TestCluster.credentials) { $1 }
    func warning(_ path: String) -> String {
      "other users of this machine can read \(path)"
    }
    let server = try ServerProcess(environment: environment, in: folder)
    let id = try await server.appOfNewUser().postBtnTapped().id
    try await server.logged("warning \(warning(backups))/selfie-")
    await server.stop()
    let again = try await ServerProcess(environment: environment, in: folder).listening()
    try await again.logged("warning \(warning(storage)): its file system ignores permissions.")
    await again.stop()
    for process in [server, again] {
      #expect(await !process.errors.all().contains { $0.contains("accessible to its owner only") })
    }

    try await folder.run("backup \(mount.path)/x.tar", environment: environment, saying: warning("\(mount.path)/x.tar"))
    try await ServerProcess.run(
      ["photo", "export", id, "\(mount.path)/x.png"], environment: environment, in: folder,
      saying: warning("\(mount.path)/x.png"))
    let doctor = try await folder.run("doctor --repair", environment: environment, status: 1)
    #expect(doctor.output.contains { $0.hasPrefix("\(storage): \(warning(storage))") })
    #expect(!doctor.output.contains { $0.contains("restricted now") }, "\(doctor)")
    #expect(doctor.output.last?.contains("Repaired") == false, "\(doctor)")
  }
}
