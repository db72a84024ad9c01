import APITestSupport
import SQLite
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// A single photo of a backup is put back.
@Suite struct PhotoRestoreTests {
  private let storage: BackedUpStorage
  /// The photo with several chunks.
  private let id: String
  private static let bytes = BackedUpStorage.images[4]

  init() async throws {
    storage = try await BackedUpStorage()
    id = storage.ids[4]
    try storage.makeTar()
  }

  private var api: APIFixture { storage.api }
  private var place: String { "photos/\(id.prefix(2))/\(id)" }

  private func restore(_ id: String? = nil) async throws -> String {
    let sources = try BackupSource.all(at: storage.file, skipsDamaged: true)
    return try await api.application.photos.restore(id ?? self.id, from: sources, database: api.database).email
  }

  private func row(_ id: String? = nil) throws -> Photo? {
    try api.database.read { try $0.first(PhotoStore.photo(randomID: id ?? self.id), as: Photo.self) }
  }

  private func delete() async throws {
    let response = await api.send("DELETE", "/api/delete_photo", as: .holder(of: storage.token), ["photo_id": id])
    #expect(response.status == .ok)
  }

  /// Every file of the storage but SQLite's.
  private func files() throws -> [String] {
    try ["photos", "incoming"].flatMap { folder in try api.folder.files(in: folder).map { "\(folder)/\($0)" } }
  }

  private func expectRefusal(_ what: String, _ id: String? = nil) async throws {
    let (rows, files) = (try BackedUpStorage.rows(of: "\(api.folder.path)/selfie.sqlite3"), try files())
    let error = await #expect(throws: OperationError.self) { try await restore(id) }
    #expect(error?.description.contains(what) == true, "\(error?.description ?? "")")
    #expect(try BackedUpStorage.rows(of: "\(api.folder.path)/selfie.sqlite3") == rows)
    // An upload that is done may still remove its own file from incoming/.
    let left = try self.files()
    #expect(left.filter { $0.hasPrefix("photos/") } == files.filter { $0.hasPrefix("photos/") })
    #expect(Set(left).isSubset(of: files))
    #expect(!api.folder.exists("backup.check"))
  }

  @Test func `a deleted photo is as it was, under its address`() async throws {
    let before = try row()
    let list = await api.get("/api/get_photos", as: .holder(of: storage.token)).content
    try await delete()
    #expect(try await restore() == "jane@example.com")
    #expect(try row() == before)
    #expect(await api.get("/photos/\(id)").content == Self.bytes)
    #expect(await api.get("/api/get_photos", as: .holder(of: storage.token)).content == list)
    try await api.application.upkeep.prune()
    #expect(try api.folder.bytes(of: place) == Self.bytes)
    #expect(try api.folder.files(in: "incoming") == [])
    #expect(!api.folder.exists("backup.check"))
    try await delete()
  }

  @Test func `a file that is lost or damaged is put back under its row`() async throws {
    let before = try row()
    var sameLength = Self.bytes
    sameLength[77] ^= 1
    for damaged in [nil, [1, 2, 3], sameLength] {
      if let damaged { try api.folder.write(damaged, to: place) } else { try api.folder.remove(place) }
      _ = try await restore()
      #expect(try api.folder.bytes(of: place) == Self.bytes)
    }
    #expect(try row() == before)
    #expect(try api.folder.permissions(of: place) == 0o600)
  }

  @Test func `the photo of a user who was made again belongs to the new one`() async throws {
    _ = try await api.application.users.remove(email: "jane@example.com", now: api.clock.now)
    try await expectRefusal("The photo's user, jane@example.com, no longer exists")
    let token = try await api.newUser()
    #expect(try await restore() == "jane@example.com")
    let user = try #require(try await api.application.users.find(email: "jane@example.com"))
    #expect(try row()?.userID == user.id)
    #expect(await api.get("/photos/\(id)").content == Self.bytes)
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).text.contains(id))
  }

  @Test func `another photo's row is left alone`() async throws {
    let before = try #require(try row())
    try await delete()
    let taken = Photo(
      id: before.id, randomID: String(repeating: "z", count: Photo.idLength), userID: before.userID, name: nil,
      title: "", byteCount: 1, contentType: "image/png", createdAt: 0)
    _ = try await api.database.write { try $0.insert(taken) }
    _ = try await restore()
    #expect(try #require(try row()).id > before.id)
    #expect(try row(taken.randomID) == taken)
  }

  @Test func `a photo that is whole, or not in the backup, is refused`() async throws {
    try await expectRefusal("is in the storage and intact")
    let later = try await api.newPhoto(Samples.bytes(10), token: storage.token)
    try api.folder.remove("photos/\(later.prefix(2))/\(later)")
    try await expectRefusal("has no photo \(later)", later)
    try await expectRefusal("has no photo", String(repeating: "a", count: Photo.idLength))
  }

  @Test func `bytes that the storage had damaged before its backup are not put back`() async throws {
    try api.folder.write(Self.bytes.map { $0 ^ 1 }, to: place)
    try storage.makeTar()
    try await expectRefusal("is missing or damaged in the backup")
    try await delete()
    try await expectRefusal("is missing or damaged in the backup")
  }

  @Test func `only the photo itself must be intact in the backup`() async throws {
    var bytes = try storage.folder.bytes(of: "selfie.tar")
    // The first entry is another photo's.
    for offset in [10, 600] { bytes[offset] ^= 1 }
    try storage.folder.write(bytes, to: "selfie.tar")
    try await delete()
    #expect(try await restore() == "jane@example.com")
    #expect(await api.get("/photos/\(id)").content == Self.bytes)
  }

  @Test func `nothing is left of a photo whose row is refused, or whose backup is damaged`() async throws {
    try await delete()
    let before = try files()
    try await api.database.write {
      try $0.execute("CREATE TRIGGER no BEFORE INSERT ON photos BEGIN SELECT RAISE(ABORT, 'no'); END")
    }
    await #expect(throws: SQLiteError.self) { try await restore() }
    #expect(try files() == before)
    var bytes = try storage.folder.bytes(of: "selfie.tar")
    bytes[bytes.count / 2] ^= 1
    try storage.folder.write(bytes, to: "selfie.tar")
    await #expect(throws: OperationError.self) { try await restore() }
    #expect(try files() == before)
    #expect(try row() == nil)
  }
}
