import Glibc
import TestSupport
import Testing

/// Commands on a storage that belongs to another user than the one who runs them.
@Suite(.enabled(if: geteuid() == 0, "to own files of others takes root"), .timeLimit(.minutes(10)))
struct StorageOwnerTests {
  private static let user: uid_t = 4321

  /// Runs a command as a user who is not root.
  private func asUser(_ arguments: [String], in folder: TemporaryFolder) throws -> ServerProcess {
    let executable = "\(folder.path)/selfie-server"
    if !folder.exists("selfie-server") { try folder.copyExecutables([ServerProcess.executable]) }
    // Other tests of this process may have taken these permissions from others by umask.
    for path in [folder.path, executable] { try #require(chmod(path, 0o755) == 0) }
    let user = "exec setpriv --reuid=\(Self.user) --regid=\(Self.user) --clear-groups"
    return try ServerProcess(arguments, of: executable, in: folder, shell: "\(user) \"$0\" \"$@\"")
  }

  private func give(_ folder: TemporaryFolder, to user: uid_t = Self.user) throws {
    for name in try [""] + folder.contents() { try #require(lchown("\(folder.path)/\(name)", user, user) == 0) }
  }

  @Test func `root creates nothing that the server's user could not open`() async throws {
    let (folder, _) = try await TemporaryFolder.ofServerWithPhoto()
    try await folder.run("backup selfie.tar")
    try folder.makeFolder("new")
    try give(folder)
    let before = try folder.contents()
    let ofImport = "import --from /dev/null --photos ."
    for command in ["serve", "restore selfie.tar", "doctor --repair", ofImport, "\(ofImport) --write"] {
      for storage in command.hasPrefix("restore") ? ["new"] : ["new", "storage"] {
        let words = "\(command) --storage-dir \(storage)".split(separator: " ").map(String.init)
        let outcome = try await ServerProcess(words, in: folder).outcome(command.hasPrefix("doctor") ? 2 : 1)
        let message = outcome.message + outcome.output.joined()
        #expect(message.contains("\(storage) belongs to the user \(Self.user). Run"), "\(command): \(outcome)")
      }
      #expect(try folder.contents() == before, "\(command)")
    }
  }

  @Test func `a command that another user must run says which one`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "storage/selfie.sqlite3")
    try #require(chmod("\(folder.path)/storage", 0o700) == 0)
    let error = "selfie-server: storage belongs to the user root. Run the command as that user, with sudo -u root."
    let remedy = " If user 4321 is to run the server, run as root: chown -R 4321:4321 storage"
    for words in ["user list", "status", "doctor", "backup /tmp/none.tar", "restore /dev/null"] {
      let command = try asUser(words.split(separator: " ").map(String.init), in: folder)
      let outcome = await command.outcome(words == "doctor" ? 2 : 1)
      #expect(outcome.errors == [words.hasPrefix("restore") ? error + remedy : error], "\(words)")
    }
  }

  @Test func `who owns what the server may not use is said with the command that gives it back`() async throws {
    let (folder, _) = try await TemporaryFolder.ofServerWithPhoto()
    for name in ["", "/lock", "/selfie.sqlite3", "/photos", "/incoming"] {
      try give(folder)
      try #require(chown("\(folder.path)/storage\(name)", 0, 0) == 0)
      for command in [["serve"], ["doctor", "--repair"]] {
        let outcome = try await asUser(command, in: folder).outcome(command == ["serve"] ? 1 : 2)
        let owner =
          name.isEmpty ? "storage belongs to the user root. " : "storage\(name) belongs to user 0, and user 4321, "
        #expect(outcome.message.contains(owner), "\(outcome)")
        #expect(outcome.message.hasSuffix("as root: chown -R 4321:4321 storage"), "\(outcome)")
        #expect(!outcome.message.contains("lstat"))
      }
    }
  }

  @Test func `a folder that its group may use is in order, and no advice locks the group out`() async throws {
    let (folder, _) = try await TemporaryFolder.ofServerWithPhoto()
    try give(folder)
    // As Kubernetes' fsGroup makes it.
    try #require(chown("\(folder.path)/storage", 0, Self.user) == 0 && chmod("\(folder.path)/storage", 0o2770) == 0)
    let server = try await asUser(["serve"], in: folder).listening()
    _ = try await asUser(["doctor"], in: folder).outcome(0)
    await server.stop()
    try await folder.run("doctor")
    try #require(chmod("\(folder.path)/storage", 0o2775) == 0)
    let doctor = try await asUser(["doctor"], in: folder).outcome(1)
    #expect(doctor.output.first?.contains("other users can access it. Restrict it with: chmod o= storage") == true)
    _ = try await ServerProcess(["doctor", "--repair"], in: folder).outcome(2)
    let repair = try await asUser(["doctor", "--repair"], in: folder).outcome(2)
    #expect(repair.message.contains("storage cannot be restricted: Operation not permitted"), "\(repair)")
  }

  @Test func `doctor names what it may not read, and checks the rest`() async throws {
    let (folder, photo) = try await TemporaryFolder.ofServerWithPhoto()
    try give(folder)
    let photoFolder = "\(folder.path)/storage/\(photo.prefix("photos/ab".count))"
    try #require(chown(photoFolder, 0, 0) == 0)
    try folder.write("stray", to: "storage/photos/stray")
    let doctor = try await asUser(["doctor"], in: folder).outcome(2)
    #expect(
      doctor.message.contains("Permission denied (its folder belongs to user 0, and user 4321 runs this)"), "\(doctor)")
    #expect(doctor.output.first?.hasPrefix("photos/stray: belongs to no photo") == true)
    #expect(doctor.output.last?.hasPrefix("Checked 1 photo, ") == true)
  }
}
