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

  @Test func `a reset removes the data of each app, and an import restores it`() async throws {
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
    #expect(document.photos.first?.row.sha256 == Digest.sha256(Samples.jpeg))
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
    let (first, second) = (Self.photoID, document.photos[1].row.randomID)
    document.photos = [
      .sample(first, sha256: Digest.sha256(Samples.png), path: "\(api.folder.path)/picture.png"),
      .sample(second, byteCount: Samples.page.count, bytes: Samples.page),
    ]
    try await api.state.importState(document)
    // The same id, other bytes.
    for (id, bytes, type) in [(first, Samples.png, "image/png"), (second, Samples.page, "application/octet-stream")] {
      let photo = await api.get("/photos/\(id)")
      #expect(photo.content == bytes)
      #expect(photo.fields["Content-Type"] == type)
    }
    #expect(try api.folder.files(in: "photos").count == 2)
    #expect(try api.folder.names(in: "state").count == 2)
  }

  @Test func `the error names all photos without content, and nothing is changed`() async throws {
    let api = try await filled()
    var document = try await api.state.exportState()
    let before = document
    let folder = api.folder.path
    let ids = "abcdef".map { String(repeating: $0, count: Photo.idLength) }
    let zeros = [UInt8](repeating: 0, count: 32)
    document.photos += [
      .sample(ids[0], sha256: zeros), .sample(ids[1], path: "\(folder)/none"), .sample(ids[2], path: folder),
      .sample(ids[3], sha256: zeros, bytes: [1]), .sample(ids[4], byteCount: 2, bytes: [1]),
      .sample(ids[5], path: "/\0"),
    ]
    let error = await #expect(throws: ControlError.self) { try await api.state.importState(document) }
    let problems = error?.problems ?? []
    #expect(problems.count == 6)
    for (id, problem) in zip(ids, problems) { #expect(problem.contains(id)) }
    #expect(try await api.state.exportState() == before)
    #expect(await api.get("/photos/\(Self.photoID)").content == Samples.jpeg)
    #expect(try api.folder.names(in: "state").count == 2)
  }

  @Test(arguments: [("/proc/self/maps", "has more than 100 bytes"), ("/proc/self/mem", "cannot be read")])
  func `a file that hides its length, or cannot be read, is no photo`(path: String, problem: String) async throws {
    let api = try APIFixture { $0.maxPhotoBytes = 100 }
    _ = try await api.state.seed(Seed(users: [.init(email: "jane@example.com")]))
    var document = try await api.state.exportState()
    document.photos.append(.sample(Self.photoID, path: path))
    let error = await #expect(throws: ControlError.self) { try await api.state.importState(document) }
    #expect(error?.kind == .invalid)
    #expect(error?.description.contains(problem) == true)
    #expect(try api.folder.names(in: "state") == [])
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

  @Test func `a server removes the blobs of an earlier one when it starts`() async throws {
    let api = try await filled()
    let document = try await api.state.exportState()
    #expect(try api.folder.names(in: "state").count == 2)
    let next = try APIFixture(after: api)
    #expect(try next.folder.names(in: "state") == [])
    await #expect(throws: ControlError.self) { try await next.state.importState(document) }
    #expect(try await next.state.exportState() == document)
  }

  @Test func `an export fails if a photo's file is damaged`() async throws {
    let api = try await filled()
    try api.folder.write([1], to: "photos/pp/\(Self.photoID)")
    let error = await #expect(throws: ControlError.self) { try await api.state.exportState() }
    #expect(error?.description.contains(Self.photoID) == true)
    #expect(try api.folder.names(in: "state") == [])
  }

  @Test func `a failed import changes nothing`() async throws {
    let api = try await filled()
    var document = try await api.state.exportState()
    let before = document
    document.photos[0] = .sample(Self.photoID, bytes: Samples.png)
    document.photos[1].row.randomID = String(repeating: "n", count: Photo.idLength)
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

extension StateDocument.Photo {
  /// A photo of the first user.
  static func sample(
    _ id: String, byteCount: Int = -1, sha256: [UInt8]? = nil, path: String? = nil, bytes: [UInt8]? = nil
  ) -> Self {
    let row = SelfieAPI.Photo(
      randomID: id, userID: 1, name: nil, title: "", byteCount: Int64(byteCount), contentType: "", createdAt: 0,
      sha256: sha256)
    return Self(row, path: path, bytes: bytes)
  }
}
