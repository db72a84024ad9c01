import APITestSupport
import SQL
import Testing

@testable import SelfieAPI

/// Reasons for which an upload or a deletion is refused in the transaction that writes it.
@Suite(.eachDatabase) struct PhotoWritesTests {
  private let fixture: WritesFixture
  private let store: PhotoStore
  private let token: Token

  init() async throws {
    fixture = try await WritesFixture()
    store = PhotoStore(database: fixture.database)
    token = try await fixture.token(1, of: fixture.jane)
  }

  private func photo(_ id: String, bytes: Int64 = 10) -> Photo {
    Photo(
      randomID: id, userID: token.userID, name: "n", title: "t", byteCount: bytes, contentType: "image/png",
      createdAt: 7, sha256: [1])
  }

  private func limits(photos: Int = 9, user: Int64? = nil, storage: Int64? = nil) -> PhotoLimits {
    PhotoLimits(maxPhotos: photos, userQuota: user, storageQuota: storage)
  }

  /// Notes an upload, which only a shared database needs.
  private func note(_ id: String) async throws {
    guard fixture.database.shared != nil else { return }
    try await fixture.database.write(about: .all) { try $0.noteUploads([id]) }
  }

  private func upload(_ id: String, as token: Token? = nil, within limits: PhotoLimits? = nil) async throws {
    try await note(id)
    try await store.insert(
      photo(id), as: token ?? self.token, within: limits ?? self.limits(),
      mayArriveAgain: fixture.database.shared == nil ? nil : false)
  }

  /// Expects that an upload is refused without a trace but the note by which its object is found.
  private func expectRefusal(
    _ refusal: Refusal, as token: Token? = nil, within limits: PhotoLimits? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await fixture.expectNoChange(sourceLocation: sourceLocation) {
      await #expect(throws: refusal, sourceLocation: sourceLocation) {
        try await upload("refused", as: token, within: limits)
      }
      guard fixture.database.shared != nil else { return }
      let isNoted = try await forgetNote(of: "refused")
      #expect(isNoted, sourceLocation: sourceLocation)
    }
  }

  /// False if there is none.
  private func forgetNote(of id: String) async throws -> Bool {
    try await fixture.database.write(about: .all) { try $0.endUpload(of: id, mayArriveAgain: false) }
  }

  @Test(.sharedOnly)
  func `an upload whose note others have swept is refused, and noted again for its object`() async throws {
    await #expect(throws: APIError.self) {
      try await store.insert(
        photo("first"), as: token, within: limits(), mayArriveAgain: false)
    }
    #expect(try await forgetNote(of: "first"))
  }

  @Test(.sharedOnly)
  func `an upload that may arrive again stays noted`() async throws {
    try await note("first")
    try await store.insert(photo("first"), as: token, within: limits(), mayArriveAgain: true)
    #expect(try await forgetNote(of: "first"))
  }

  @Test func `an upload whose token has ended meanwhile is refused, and so is a deletion`() async throws {
    try await upload("first")
    try await fixture.tokens.remove(token)
    try await expectRefusal(.tokenEnded)
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.tokenEnded) { try await store.remove(randomID: "first", as: token) }
    }
  }

  @Test func `a token that expires meanwhile stays good for what is under way, also after a sign-in elsewhere`()
    async throws
  {
    try await upload("first")
    let later = token.expiresAt + 1
    let elsewhere = Token(digest: [9], userID: fixture.jane.id, expiresAt: later + 900, createdAt: later)
    #expect(try await fixture.tokens.issue(elsewhere, to: fixture.jane, checkedPassword: true))
    #expect(try await fixture.tokens.find(digest: token.digest, now: later) == nil)
    try await upload("second")
    #expect(try await store.remove(randomID: "first", as: token))
  }

  @Test func `a token of another user, or of one who has gone, is refused`() async throws {
    var stolen = token
    stolen.userID = fixture.john.id
    try await expectRefusal(.tokenEnded, as: stolen)
    try await fixture.delete(fixture.jane)
    try await expectRefusal(.tokenEnded)
  }

  @Test func `an upload and a deletion of a user who is disabled meanwhile are refused`() async throws {
    try await upload("first")
    _ = try await fixture.users.setDisabled(at: 5, of: "jane@x")
    try await expectRefusal(.accountDisabled)
    try await fixture.expectNoChange {
      await #expect(throws: Refusal.accountDisabled) { try await store.remove(randomID: "first", as: token) }
    }
  }

  @Test func `uploads fill their number to the last one`() async throws {
    try await upload("first", within: limits(photos: 2))
    try await upload("second", within: limits(photos: 2))
    try await expectRefusal(.tooManyPhotos(max: 2), within: limits(photos: 2))
    // The number comes before the bytes.
    try await expectRefusal(.tooManyPhotos(max: 2), within: limits(photos: 2, user: 20, storage: 20))
  }

  @Test func `uploads fill a user's quota to the last byte`() async throws {
    try await upload("first", within: limits(user: 20))
    try await expectRefusal(.userQuota(19), within: limits(user: 19))
    try await upload("second", within: limits(user: 20))
    // One that was lowered, and one that no photo fits into.
    try await expectRefusal(.userQuota(10), within: limits(user: 10))
    try await expectRefusal(.userQuota(0), within: limits(user: 0))
    try await upload("third", as: fixture.token(2, of: fixture.john), within: limits(user: 10))
  }

  @Test func `uploads fill the quota of all users to the last byte`() async throws {
    try await upload("first", as: fixture.token(2, of: fixture.john), within: limits(storage: 20))
    try await upload("second", within: limits(storage: 20))
    try await expectRefusal(.storageQuota(29), within: limits(storage: 29))
    // With room left for less than nothing: -1, which stands for no quota nowhere.
    try await expectRefusal(.storageQuota(9), within: limits(storage: 9))
    try await upload("third", within: limits(storage: 30))
  }

  @Test func `of two quotas, the one that is nearer is exceeded`() async throws {
    try await upload("first")
    await #expect(throws: Refusal.userQuota(11)) {
      try await upload("refused", within: limits(user: 11, storage: 12))
    }
    await #expect(throws: Refusal.storageQuota(11)) {
      try await upload("refused", within: limits(user: 12, storage: 11))
    }
  }
}
