import APITestSupport
import Platform
import SQLite
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// Imports into storages that are not empty, or that are interrupted.
@Suite struct UnfinishedImportTests {
  private typealias Rows = ImportFixture

  private let fixture: ImportFixture

  init() throws {
    fixture = try ImportFixture()
  }

  @Test func `a storage that has users is refused, and stays as it is`() async throws {
    let dump = try dump()
    try await fixture.api.signUp("john@example.com")
    let (rows, files) = (try fixture.rows(), try fixture.api.folder.files(in: "photos"))
    let error = await #expect(throws: OperationError.self) { try await fixture.run(dump) }
    #expect(error?.description.hasPrefix("The storage has 1 user already, and an import needs an empty one.") == true)
    #expect(try fixture.rows() == rows && fixture.api.folder.files(in: "photos") == files)
  }

  /// Rows of which each kind can be kept from being written.
  private func dump() throws -> String {
    try Rows.user(1, "a@b.c", token: "t") + Rows.photo(1, of: 1, fixture.file("a"))
      + Rows.photo(2, of: 1, fixture.file("b", Samples.jpeg))
  }

  @Test(arguments: ["users", "tokens", "photos"])
  func `all rows or none`(_ table: String) async throws {
    let dump = try dump()
    try await fixture.api.database.write { connection in
      try connection.execute("CREATE TRIGGER no BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END")
    }
    await #expect(throws: SQLiteError.self) { try await fixture.run(dump) }
    #expect(try fixture.rows().isEmpty)

    try await fixture.api.database.write { try $0.execute("DROP TRIGGER no") }
    try await expectWhole(dump)
  }

  /// The moment at which an import was interrupted.
  enum Instant: CaseIterable {
    case inFile, betweenFilesAndRows
  }

  @Test(arguments: Instant.allCases)
  func `an import that was interrupted is completed by the next`(after instant: Instant) async throws {
    let dump = try dump()
    switch instant {
    case .inFile: try fixture.api.folder.write(Array(Samples.png.prefix(9)), to: "incoming/\(Rows.id("a"))")
    case .betweenFilesAndRows:
      let photo = Photo(
        randomID: Rows.id("a"), userID: 1, name: nil, title: "", byteCount: 0, contentType: "", createdAt: 0)
      _ = try fixture.api.application.photos.files.place(
        photo, copiedFrom: PlainFile(ofPhoto: Rows.id("a"), in: fixture.bucket.path))
      #expect(try fixture.api.folder.files(in: "photos").count == 1)
    }
    try await expectWhole(dump)
  }

  /// After a new start and one more import, everything is there and nothing else.
  private func expectWhole(_ dump: String) async throws {
    let next = try ImportFixture(api: APIFixture(after: fixture.api))
    #expect(try next.api.folder.files(in: "incoming").isEmpty)
    try await next.run(dump, photos: fixture.bucket.path)
    #expect(try next.rows().count == 4)
    #expect(try next.api.folder.files(in: "photos").count == 2)
    #expect(try next.api.folder.files(in: "incoming").isEmpty)
    #expect(await next.api.get("/photos/\(Rows.id("a"))").content == Samples.png)
    #expect(await next.api.get("/photos/\(Rows.id("b"))").content == Samples.jpeg)
    #expect(await next.api.isAccepted("t"))
  }
}
