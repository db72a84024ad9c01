import APITestSupport
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing

@testable import SelfieAPI

/// The photos' files.
@Suite struct PhotoFilesTests {
  private static let id = String(repeating: "k", count: Photo.idLength)
  private static let other = String(repeating: "m", count: Photo.idLength)
  private let folder: TemporaryFolder
  private let files: PhotoFiles

  init() throws {
    folder = try TemporaryFolder()
    files = PhotoFiles(storage: folder.path)
    try files.prepare()
  }

  private func publish(_ bytes: [UInt8] = Samples.png) throws {
    try files.publish(files.write([bytes[...]], of: Self.id, to: nil), as: Self.id)
  }

  @Test func `the folders are made for their owner only, and nothing in them`() throws {
    try files.prepare()
    for name in ["photos", "incoming"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
      #expect(attributes[.type] as? FileAttributeType == .typeDirectory)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      #expect(try folder.files(in: name) == [])
    }
  }

  @Test(arguments: ["photos", "incoming"])
  func `a file where a folder should be is noticed at the start`(_ name: String) throws {
    try folder.replaceByFile(name)
    let error = #expect(throws: FileError.self) { try files.prepare() }
    #expect(error?.path == "\(folder.path)/\(name)")
  }

  private static func device(of folder: String) -> dev_t {
    var status = stat()
    return stat(folder, &status) == 0 ? status.st_dev : 0
  }

  @Test func `folders of two file systems are refused, and why is said`() throws {
    try FileManager.default.removeItem(atPath: "\(folder.path)/photos")
    let device = Self.device(of: folder.path)
    let elsewhere = try #require(["/dev/shm", "/var/tmp"].first { Self.device(of: $0) != device })
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/photos", withDestinationPath: elsewhere)
    let error = #expect(throws: ConfigurationError.self) { try files.prepare() }
    #expect(error?.description.contains("must be folders of one file system that has hard links") == true)
    #expect(error?.description.contains("Invalid cross-device link") == true)
    #expect(try folder.files(in: "incoming") == [])
  }

  @Test func `a published photo has both names until the one in incoming is removed`() throws {
    let bytes = Samples.bytes(600_000)
    var partial: PhotoFiles.Partial?
    for start in stride(from: 0, to: bytes.count, by: 70_000) {
      partial = try files.write(
        [bytes[start...].prefix(60_000), bytes[start...].prefix(70_000).dropFirst(60_000)], of: Self.id, to: partial)
    }
    #expect(try files.open(Self.id) == nil)
    try files.publish(#require(partial), as: Self.id)
    #expect(try files.digest(of: Self.id) == Digest.sha256(bytes))
    #expect(try folder.files(in: "photos") == ["kk/\(Self.id)"])
    #expect(try folder.files(in: "incoming") == [Self.id])

    try files.removeIncoming(Self.id)
    #expect(try folder.files(in: "incoming") == [])
    #expect(try folder.bytes(of: "photos/kk/\(Self.id)") == bytes)
  }

  @Test func `what is discarded is gone, before and after it was published`() throws {
    for isPublished in [false, true] {
      if isPublished { try publish() } else { _ = try files.write([Samples.png[...]], of: Self.id, to: nil) }
      try files.discard(Self.id)
      #expect(try folder.files(in: "photos") + folder.files(in: "incoming") == [])
    }
  }

  @Test func `a start moves files that are no uploads to lost+found, and removes none`() throws {
    try publish()
    // The name of the last is taken, and as long as a name can be.
    let long = String(repeating: "l", count: 255)
    try folder.write([6], to: "lost+found/\(long)")
    try folder.write([5], to: "incoming/\(long)")
    let names = ["holiday.jpg", String(repeating: "1", count: Photo.idLength)]
    for name in names { try folder.write(Array(name.utf8), to: "incoming/\(name)") }
    try folder.write([], to: "incoming/.DS_Store")
    let unfinished = String(repeating: "u", count: Photo.idLength)
    try folder.write([9], to: "incoming/\(unfinished)")
    // An upload's name with other bytes than the photo has that name.
    try folder.write([7], to: "incoming/\(Self.other)")
    try folder.write([8], to: "photos/mm/\(Self.other)")
    let moved = try files.recoverUploads { _, _ in .unknown }
    // A whole photo whose row may be in another database.
    #expect(moved.filter(\.isPhoto).map(\.place) == ["lost+found/\(Self.id)"])
    let numbered = "\(long.dropLast(2)).2"
    #expect(Set(moved.map(\.place)) == Set((names + [Self.id, Self.other, numbered]).map { "lost+found/\($0)" }))
    for name in names { #expect(try folder.bytes(of: "lost+found/\(name)") == Array(name.utf8)) }
    #expect(try folder.bytes(of: "lost+found/\(Self.other)") == [7])
    #expect(try folder.files(in: "photos") == ["mm/\(Self.other)"])
    #expect(try folder.files(in: "incoming") == [".DS_Store"])
  }

  @Test func `a start goes on where one was killed that moved a photo to lost+found`() throws {
    for step in 0...2 {
      try? FileManager.default.createDirectory(atPath: "\(folder.path)/lost+found", withIntermediateDirectories: true)
      try publish()
      // What it has done so far: the place in lost+found, and then the end of that in photos.
      let (upload, place) = ("\(folder.path)/incoming/\(Self.id)", "\(folder.path)/lost+found/\(Self.id)")
      if step > 0 { try FileManager.default.linkItem(atPath: upload, toPath: place) }
      if step > 1 { try FileManager.default.removeItem(atPath: "\(folder.path)/photos/kk/\(Self.id)") }
      try files.recoverUploads { _, _ in .unknown }
      #expect(try folder.files(in: "photos") + folder.files(in: "incoming") == [])
      #expect(try folder.files(in: "lost+found") == [Self.id])
      try FileManager.default.removeItem(atPath: place)
    }
  }

  @Test func `what cannot be published is gone`() throws {
    try folder.write([], to: "photos/kk")
    let error = #expect(throws: FileError.self) { try publish() }
    #expect(error?.number == ENOTDIR)
    #expect(try folder.files(in: "incoming") == [])
  }

  @Test func `a photo is never put over another`() throws {
    try publish(Samples.png)
    try files.removeIncoming(Self.id)
    let partial = try files.write([Samples.jpeg[...]], of: Self.id, to: nil)
    #expect(throws: FileError.self) { try files.publish(partial, as: Self.id) }
    #expect(try folder.bytes(of: "photos/kk/\(Self.id)") == Samples.png)
    #expect(try folder.files(in: "incoming") == [])
  }

  /// Who can list the folder can sync it; root can always.
  @Test(.enabled(if: geteuid() != 0))
  func `a folder whose name could not be synced is no better for the next photo`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o300], ofItemAtPath: "\(folder.path)/photos")
    for _ in 0..<2 {
      let error = #expect(throws: FileError.self) { try publish() }
      #expect(error?.number == EACCES)
      #expect(try folder.files(in: "photos/kk") + folder.files(in: "incoming") == [])
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(folder.path)/photos")
    try publish()
  }

  /// After a power failure it may have its place again, without a row: the next start must know of it.
  @Test(.enabled(if: geteuid() != 0))
  func `an upload that could not be discarded for good keeps its name in incoming`() async throws {
    let api = try APIFixture()
    let folder = api.folder
    try folder.makeFolder("photos/kk")
    try FileManager.default.setAttributes([.posixPermissions: 0o300], ofItemAtPath: "\(folder.path)/photos/kk")
    func upload() async throws {
      let upload = api.application.photos.newUpload(id: Self.id)
      try await upload.append(Samples.png[...])
      let photo = Photo(
        randomID: Self.id, userID: 1, name: nil, title: "", byteCount: 0, contentType: "", createdAt: 0)
      let limits = PhotoLimits(maxPhotos: 10, userQuota: nil, storageQuota: nil)
      try await api.application.photos.add(
        upload, as: photo, by: api.application.tokenIssuer.issue(for: 1).token, within: limits, flow: Flow())
    }
    await #expect(throws: FileError.self) { try await upload() }
    #expect(try folder.names(in: "incoming") == [Self.id])
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(folder.path)/photos/kk")
    #expect(try folder.names(in: "photos/kk") == [])
  }

  @Test func `a photo can be opened with its size, and removed twice`() throws {
    #expect(try files.open(Self.id) == nil)
    try publish()
    #expect(try files.open(Self.id)?.byteCount == Int64(Samples.png.count))
    try files.remove(Self.id)
    try files.remove(Self.id)
    #expect(try files.open(Self.id) == nil)
  }

  @Test func `of many photos those that can be removed are, and the first failure is told`() throws {
    let ids = ["aa", "ab", "ac"].map { $0 + String(repeating: "x", count: Photo.idLength - 2) }
    for id in ids {
      _ = try files.publish(files.write([Samples.png[...]], of: id, to: nil), as: id)
      try files.removeIncoming(id)
    }
    // Not even root can unlink in a file.
    try folder.replaceByFile("photos/ab")
    let removal = files.removeDurably(ids + ["zz" + ids[0].dropFirst(2)])
    #expect(Set(removal.gone) == [ids[0], ids[2], "zz" + ids[0].dropFirst(2)])
    #expect(removal.failure?.number == ENOTDIR)
    #expect(removal.failure.map { $0.withoutPath.contains(ids[1]) } == false)
    #expect(try folder.files(in: "photos") == ["ab"])
  }

  @Test func `an id has 41 letters, so that it is a safe file name`() {
    let letters = String(repeating: "a", count: 40)
    for id in [letters + "a", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO", String(repeating: "Z", count: 41)] {
      #expect(Photo.isID(id.utf8), "\(id)")
    }
    for end in ["", "aa", "é", "/", ".", "1", "[", "@", "`", "{", "\0"] { #expect(!Photo.isID((letters + end).utf8)) }
    #expect(!Photo.isID("".utf8))
  }
}
