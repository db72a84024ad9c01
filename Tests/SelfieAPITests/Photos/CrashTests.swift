import APITestSupport
import Cryptography
import HTTPMessages
import Logging
import Platform
import SQLite
import Testing

@testable import SelfieAPI

/// What a crash leaves between any two steps is built by hand, then a server starts on it.
@Suite struct CrashTests {
  private static let id = "qr" + String(repeating: "s", count: Photo.idLength - 2)
  private static let place = "photos/qr/\(id)"
  private static let bytes = Samples.bytes(5_000)

  /// The steps of an upload and of a deletion after which there may be nothing more, and what is to become of it.
  enum Instant: String, CaseIterable {
    case created = "an upload has begun"
    case written = "its file is whole"
    case madeFolder = "its folder is there"
    case linked = "its file is in its place"
    case inserted = "its row is committed"
    case lostPlace = "its row is committed, but the file system lost its place"
    case confirmed = "its name in incoming is gone"
    case deleted = "its row is deleted"
    case deletedEarly = "its row is deleted while its name in incoming is still there"
    case unlinked = "its file is unlinked"
    case unlinkedWithFolder = "its file and the folder are gone"
    case discardedPlace = "its row was refused, and its place is empty again"

    var isKept: Bool { [.inserted, .lostPlace, .confirmed].contains(self) }
    /// Whether it looks as if the row had been committed, and an older database been put in its place.
    var isSetAside: Bool { self == .linked }
  }

  private static let deleted: [Instant] = [.deleted, .deletedEarly, .unlinked, .unlinkedWithFolder]

  private func leave(_ instant: Instant, _ api: APIFixture) async throws {
    let folder = api.folder
    func insert() async throws {
      try await api.signUp()
      let photo = Photo(
        randomID: Self.id, userID: 1, name: "p", title: "t", byteCount: Int64(Self.bytes.count),
        contentType: "image/png",
        createdAt: 0)
      _ = try await api.database.write { try $0.insert(photo) }
    }
    func delete() async throws {
      try await insert()
      let token = api.application.tokenIssuer.issue(for: 1).token
      try await api.database.write { try $0.insert(token) }
      #expect(try await PhotoStore(database: .file(api.database)).remove(randomID: Self.id, as: token))
    }
    let (isDeleted, upload) = (Self.deleted.contains(instant), "incoming/\(Self.id)")
    if instant.isKept { try await insert() }
    if isDeleted { try await delete() }
    if ![.created, .written, .unlinkedWithFolder].contains(instant) { try folder.makeFolder("photos/qr") }
    if instant == .deletedEarly || !isDeleted && instant != .confirmed {
      try folder.write(instant == .created ? [] : Self.bytes, to: upload)
    }
    switch instant {
    case .linked, .inserted, .deletedEarly: try folder.link(upload, to: Self.place)
    case .confirmed, .deleted: try folder.write(Self.bytes, to: Self.place)
    default: break
    }
  }

  @Test(arguments: Instant.allCases)
  func `finds row and file, or neither`(_ instant: Instant) async throws {
    let api = try APIFixture()
    try await leave(instant, api)
    let next = try APIFixture(after: api)
    let photo = await next.get("/photos/\(Self.id)")
    #expect(photo.status == (instant.isKept ? .ok : .notFound))
    if instant.isKept { #expect(photo.content == Self.bytes) }

    try await next.application.upkeep.prune()
    #expect(try next.count("SELECT count(*) FROM photos") == (instant.isKept ? 1 : 0))
    #expect(try next.folder.files(in: "photos") == (instant.isKept ? ["qr/\(Self.id)"] : []))
    #expect(try next.folder.files(in: "incoming") == [])
    #expect(next.folder.exists("lost+found/\(Self.id)") == instant.isSetAside)
    #expect(next.log.lines.contains { $0.contains("has no row in the database") } == instant.isSetAside)
    #expect(try next.count("SELECT count(*) FROM removed_photos") == 0)
  }

  @Test func `removes what is no photo from incoming, but no folder`() throws {
    let api = try APIFixture()
    try api.folder.write([1], to: "incoming/.hidden")
    try api.folder.makeFolder("incoming/lost+found")
    let next = try APIFixture(after: api)
    #expect(try next.folder.files(in: "incoming") == [])
    #expect(try next.folder.names(in: "incoming") == ["lost+found"])
  }

  @Test func `does not look at the photos that are in order`() async throws {
    let api = try APIFixture()
    // A folder that cannot be listed or opened would end a start that tried to.
    try api.folder.write([], to: "photos/qr")
    _ = try APIFixture(after: api)
    #expect(try api.folder.bytes(of: "photos/qr") == [])
  }
}
