import APITestSupport
import Cryptography
import HTTPMessages
import Platform
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

/// Export and import.
@Suite(.timeLimit(.minutes(10))) struct ExportTests {
  static let photoID = String(repeating: "p", count: Photo.idLength)

  /// An account with a token, two photos and notes, and one of Microblog.
  private func filled() async throws -> APIFixture {
    let api = try APIFixture()
    let jane = Seed.User(
      email: "jane@example.com", tokens: ["jane"],
      photos: [.init(Samples.jpeg, title: "first", randomID: Self.photoID), .init()],
      notes: [.init(title: "Milk"), .init()])
    let ada = Seed.MicroblogUser(name: "ada", sessions: [.init(), .init(usedAt: 1000)], blogposts: ["Hello", "again"])
    _ = try await api.state.seed(Seed(users: [jane], microblogUsers: [ada]))
    return api
  }

  @Test func `a reset removes, and an import brings back, what is stored of each app`() async throws {
    let api = try await filled()
    let deleted = try await api.newPhoto(token: "jane")
    _ = await api.send("DELETE", "/api/delete_photo", as: .holder(of: "jane"), ["photo_id": deleted])
    try await api.signUp("joe@example.com")
    try await api.database.write { connection in
      try connection.execute("DELETE FROM users WHERE email = 'joe@example.com'; DELETE FROM notes WHERE id = 2")
    }
    let list = await api.get("/api/get_photos", as: .holder(of: "jane")).text
    let document = try await api.state.exportState()
    #expect(
      document.counts == StateCounts(users: 1, tokens: 1, photos: 2, notes: 1, microblogUsers: 1, blogposts: 2))
    #expect(document.photos.first?.content == .kept(sha256: Digest.sha256(Samples.jpeg)))
    #expect([document.lastUserID, document.lastPhotoID, document.lastNoteID] == [2, 3, 2])
    #expect(try await api.state.reset() == document.counts)
    let empty = try await api.state.exportState()
    #expect(empty.counts == StateCounts())
    #expect(empty.microblog == MicroblogState(lastUserID: 0, lastBlogpostID: 0))
    try await api.signUp("somebody@else.com")

    #expect(try await api.state.importState(document) == document.counts)
    #expect(try await api.state.exportState() == document)
    #expect(await api.get("/api/get_photos", as: .holder(of: "jane")).text == list)
    #expect(await api.get("/photos/\(Self.photoID)").content == Samples.jpeg)
    _ = try await api.signIn(password: Seed.defaultPassword)
    // Ids go on where they did before.
    _ = try await api.newPhoto(token: try await api.newUser("jim@example.com"))
    #expect(try api.count("SELECT max(id) FROM users") == 3)
    #expect(try api.count("SELECT max(id) FROM photos") == 4)
  }

  @Test func `photos may come from a file or as bytes`() async throws {
    let api = try await filled()
    try api.folder.write(Samples.png, to: "picture.png")
    var document = try await api.state.exportState()
    document.photos[0].content = .file(path: "\(api.folder.path)/picture.png", sha256: Digest.sha256(Samples.png))
    document.photos[0].contentType = nil
    document.photos[0].byteCount = nil
    document.photos[1].content = .bytes(Samples.page)
    document.photos[1].contentType = nil
    document.photos[1].byteCount = Int64(Samples.page.count)
    document.photos[1].id = nil
    document.photos[1].createdAt = nil
    try await api.state.importState(document)
    // The same id, other bytes.
    let first = await api.get("/photos/\(Self.photoID)")
    #expect(first.content == Samples.png)
    #expect(first.fields["Content-Type"] == "image/png")
    let second = await api.get("/photos/\(document.photos[1].randomID)")
    #expect(second.content == Samples.page)
    #expect(second.fields["Content-Type"] == "application/octet-stream")
    #expect(try api.folder.files(in: "photos").count == 2)
    #expect(try api.folder.names(in: "state").count == 2)
  }

  @Test func `photos that are not to be had are all named, and nothing is changed`() async throws {
    let api = try await filled()
    var document = try await api.state.exportState()
    let before = document
    let folder = api.folder.path
    func photo(_ letter: Character, _ content: StateDocument.Content, byteCount: Int64? = nil) -> StateDocument.Photo {
      StateDocument.Photo(
        randomID: String(repeating: letter, count: Photo.idLength), userID: 1, byteCount: byteCount, content: content)
    }
    let zeros = [UInt8](repeating: 0, count: 32)
    document.photos += [
      photo("a", .kept(sha256: zeros)), photo("b", .file(path: "\(folder)/none")), photo("c", .file(path: folder)),
      photo("d", .bytes([1], sha256: zeros)), photo("e", .bytes([1]), byteCount: 2), photo("f", .file(path: "/\0")),
    ]
    let error = await #expect(throws: ControlError.self) { try await api.state.importState(document) }
    let problems = error?.problems ?? []
    #expect(problems.count == 6)
    for (letter, problem) in zip("abcdef", problems) {
      #expect(problem.contains(String(repeating: letter, count: Photo.idLength)))
    }
    #expect(try await api.state.exportState() == before)
    #expect(await api.get("/photos/\(Self.photoID)").content == Samples.jpeg)
    #expect(try api.folder.names(in: "state").count == 2)
  }

  @Test(arguments: [("/proc/self/maps", "has more than 100 bytes"), ("/proc/self/mem", "cannot be read")])
  func `a file that hides its length, or cannot be read, is no photo`(path: String, problem: String) async throws {
    let api = try APIFixture { $0.maxPhotoBytes = 100 }
    _ = try await api.state.seed(Seed(users: [.init(email: "jane@example.com")]))
    var document = try await api.state.exportState()
    document.photos.append(
      StateDocument.Photo(randomID: Self.photoID, userID: 1, content: .file(path: path)))
    let error = await #expect(throws: ControlError.self) { try await api.state.importState(document) }
    #expect(error?.kind == .invalid)
    #expect(error?.description.contains(problem) == true)
    #expect(try api.folder.names(in: "state") == [])
  }

  @Test func `a content whose file can have no more names gets another file`() async throws {
    let api = try await filled()
    let document = try await api.state.exportState()
    let contents = api.state.blobs
    let (path, sha256) = (contents.path(of: Digest.sha256(Samples.jpeg)), Digest.sha256(Samples.jpeg))
    let before = try FileSystem.status(path)?.inode
    try contents.renew(sha256)
    #expect(try FileSystem.status(path)?.inode != before)
    #expect(try api.folder.names(in: "state").count == 2)
    #expect(await api.get("/photos/\(Self.photoID)").content == Samples.jpeg)
    try await api.state.importState(document)
    #expect(await api.get("/photos/\(Self.photoID)").content == Samples.jpeg)
    #expect(try await api.state.exportState() == document)
  }

  @Test func `an export that is long ago is forgotten, with its photos`() async throws {
    let api = try await filled()
    let document = try await api.state.exportState()
    try await api.state.reset()
    for _ in 1..<BlobStore.maxExports { _ = try await api.state.exportState() }
    try await api.state.importState(document)
    try await api.state.reset()
    _ = try await api.state.exportState()
    await #expect(throws: ControlError.self) { try await api.state.importState(document) }
    #expect(try api.folder.names(in: "state") == [])
  }

  @Test func `what an earlier server kept is removed at the start`() async throws {
    let api = try await filled()
    let document = try await api.state.exportState()
    #expect(try api.folder.names(in: "state").count == 2)
    let next = try APIFixture(after: api)
    #expect(try next.folder.names(in: "state") == [])
    await #expect(throws: ControlError.self) { try await next.state.importState(document) }
    #expect(try await next.state.exportState() == document)
  }

  @Test func `a photo whose file is damaged keeps the export from lying`() async throws {
    let api = try await filled()
    try api.folder.write([1], to: "photos/pp/\(Self.photoID)")
    let error = await #expect(throws: ControlError.self) { try await api.state.exportState() }
    #expect(error?.description.contains(Self.photoID) == true)
    #expect(try api.folder.names(in: "state") == [])
  }

  @Test func `a storage that fails leaves everything as it was`() async throws {
    let api = try await filled()
    var document = try await api.state.exportState()
    let before = document
    document.photos[0].content = .bytes(Samples.png)
    document.photos[0].contentType = nil
    document.photos[0].byteCount = nil
    document.photos[1].randomID = String(repeating: "n", count: Photo.idLength)
    try await api.database.write { connection in
      try connection.execute("CREATE TRIGGER fail BEFORE INSERT ON photos BEGIN SELECT RAISE(ABORT, 'no'); END")
    }
    await #expect(throws: (any Error).self) { try await api.state.importState(document) }
    #expect(try await api.state.exportState() == before)
    #expect(await api.get("/photos/\(Self.photoID)").content == Samples.jpeg)
    #expect(try api.folder.files(in: "photos").count == 2)
    #expect(try api.folder.names(in: "state").count == 2)
  }
}
