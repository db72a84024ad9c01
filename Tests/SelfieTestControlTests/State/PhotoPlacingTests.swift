import APITestSupport
import SelfieAPI
import Testing

@testable import SQLite
@testable import SelfieTestControl

@Suite struct PhotoPlacingTests {
  private static let id = String(repeating: "k", count: Photo.idLength)

  @Test(arguments: [(13, false), (1034, true)])
  func `the files of rows that could not be inserted are removed, unless the rows may be there at the next start`(
    code: Int32, staysInPlace: Bool
  ) async throws {
    let api = try APIFixture()
    await #expect(throws: SQLiteError.self) {
      try await api.application.photos.withFiles(of: [Self.id]) {
        try $0.make([(Self.id, Samples.bytes(100))])
      } write: {
        throw SQLiteError(code: code, message: "")
      }
    }
    #expect(try api.folder.files(in: "photos") == (staysInPlace ? ["kk/\(Self.id)"] : []))
  }
}
