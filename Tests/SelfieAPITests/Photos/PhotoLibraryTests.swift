import APITestSupport
import Cryptography
import HTTPMessages
import SQLite
import Testing
import SQL

@testable import SelfieAPI

/// Photos as rows and files.
@Suite struct PhotoLibraryTests {
  @Test func `the upkeep notes the digests of all photos that are what was uploaded`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let images = (0..<45).map { Samples.bytes($0) }
    var ids: [String] = []
    for image in images { ids.append(try await api.newPhoto(image, token: token)) }
    func path(_ number: Int) -> String { "photos/\(ids[number].prefix(2))/\(ids[number])" }
    try api.folder.write([1], to: path(7))
    try api.folder.remove(path(21))
    try await api.application.upkeep.noteDigests()
    let digests = try api.database.read { connection in
      try connection.query("SELECT sha256 FROM photos ORDER BY id") { $0.isNull(0) ? nil : $0.blob(0) }
    }
    #expect(digests == images.enumerated().map { [7, 21].contains($0) ? nil : Digest.sha256($1) })
    // What is left is looked at again, but not each time, and does not keep the rest from it.
    try api.folder.write(images[7], to: path(7))
    _ = try await api.newPhoto(token: token)
    try await api.application.upkeep.noteDigests()
    #expect(try api.count("SELECT count(*) FROM photos WHERE sha256 IS NULL") == 2)
    try await api.application.upkeep.prune()
    #expect(try api.count("SELECT count(*) FROM photos WHERE sha256 IS NULL") == 1)
  }

  @Test func `digests wait for the photos that are being stored`() async throws {
    let (api, token) = try await APIFixture.withUser()
    _ = try await api.newPhoto(token: token)
    try await api.application.photos.lock.withShared {
      try await api.application.upkeep.noteDigests()
      #expect(try api.count("SELECT count(*) FROM photos WHERE sha256 IS NULL") == 1)
    }
    try await api.application.upkeep.noteDigests()
    #expect(try api.count("SELECT count(*) FROM photos WHERE sha256 IS NULL") == 0)
  }

  @Test func `a photo that is deleted is gone at once, and forgotten by the next upkeep`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let id = try await api.newPhoto(token: token)
    let response = await api.deletePhoto(id, token: token)
    #expect(response.status == .ok)
    #expect(try api.folder.files(in: "photos") == [])
    #expect(try api.count("SELECT count(*) FROM removed_photos") == 1)
    try await api.application.upkeep.prune()
    #expect(try api.count("SELECT count(*) FROM removed_photos") == 0)
  }

  @Test func `a file that cannot be removed is answered 200, logged, and tried again`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let id = try await api.newPhoto(token: token)
    let folder = "photos/\(id.prefix(2))"
    // Not even root can unlink in a file.
    try api.folder.move(folder, to: "aside")
    try api.folder.write([], to: folder)
    let response = await api.deletePhoto(id, token: token)
    #expect(response.status == .ok)
    try await api.application.upkeep.prune()
    let warnings = api.log.lines.filter { $0.hasPrefix("warning ") }
    #expect(warnings.count == 2)
    #expect(warnings.allSatisfy { $0.contains("unlink: Not a directory") && !$0.contains(id) })
    #expect(try api.count("SELECT count(*) FROM removed_photos") == 1)
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).elements.isEmpty)

    try api.folder.remove(folder)
    try api.folder.move("aside", to: folder)
    try await api.application.upkeep.prune()
    #expect(try api.folder.files(in: "photos") == [])
    #expect(try api.count("SELECT count(*) FROM removed_photos") == 0)
  }

  @Test func `upkeep removes any number of photos, and passes over those that stay`() async throws {
    let api = try APIFixture()
    // Letters only: the number in base 26 at the end.
    let ids = (0..<2_500).map { number in
      String(repeating: "z", count: Photo.idLength - 3)
        + String(decoding: [676, 26, 1].map { UInt8(97 + number / $0 % 26) }, as: UTF8.self)
    }
    let stays = "aa" + String(repeating: "b", count: Photo.idLength - 2)
    try api.folder.write([], to: "photos/aa")
    try await api.database.write { connection in
      for id in ids + [stays] { try connection.run(Query("INSERT INTO removed_photos VALUES (?)", .text(id))) }
    }
    try api.folder.makeFolder("photos/zz")
    for id in [ids[0], ids[1_300], ids[2_499]] { try api.folder.write([1], to: "photos/zz/\(id)") }
    try await api.application.upkeep.prune()
    #expect(try api.folder.files(in: "photos") == ["aa"])
    #expect(try api.count("SELECT count(*) FROM removed_photos") == 1)
  }

  @Test func `the photos of a user who is deleted are removed, and one that comes back is not`() async throws {
    let api = try APIFixture()
    let id = try await api.newPhoto(token: try await api.newUser())
    let path = "photos/\(id.prefix(2))/\(id)"
    try await api.database.write { try $0.run("DELETE FROM users") }
    #expect(try api.count("SELECT count(*) FROM removed_photos") == 1)

    try await api.signUp("other@example.com")
    let back = Photo(randomID: id, userID: 2, name: nil, title: "", byteCount: 0, contentType: "", createdAt: 0)
    _ = try await api.database.write { try $0.insert(back) }
    try await api.application.upkeep.prune()
    #expect(try api.folder.files(in: "photos").count == 1)

    try await api.database.write { try $0.run("DELETE FROM users") }
    try await api.application.upkeep.prune()
    #expect(!api.folder.exists(path))
  }

  @Test func `a photo whose file is missing is a 404 and an error in the log, with too little of its id`() async throws
  {
    let api = try APIFixture()
    let id = try await api.newPhoto(token: try await api.newUser())
    try api.folder.remove("photos/\(id.prefix(2))/\(id)")
    #expect(await api.get("/photos/\(id)").status == .notFound)
    #expect(await api.get("/photos/" + String(id.reversed())).status == .notFound)
    let errors = api.log.lines.filter { $0.hasPrefix("error ") }
    #expect(errors.count == 1)
    #expect(errors.first?.contains("\(id.prefix(8))…") == true)
    #expect(errors.first?.contains(id.prefix(9)) == false)
  }
}
