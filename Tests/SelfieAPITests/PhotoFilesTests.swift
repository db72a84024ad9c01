import Foundation
import HTTPMessages
import Testing
import Workers

@testable import SelfieAPI

@Suite("The photos' files") struct PhotoFilesTests {
  private let lane = WorkerPool(name: "files", threads: 1, waiting: 16)

  @Test func `a start makes the folders, for their owner only`() throws {
    defer { lane.shutDown() }
    let folder = try StorageFolder()
    _ = try PhotoFiles(storage: folder.path, lane: lane)
    for name in ["photos", "incoming"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
      #expect(attributes[.type] as? FileAttributeType == .typeDirectory)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test(arguments: ["photos", "incoming"])
  func `a file where a folder should be is noticed at the start`(_ name: String) throws {
    defer { lane.shutDown() }
    let folder = try StorageFolder()
    try folder.write([], to: name)
    let error = #expect(throws: FileError.self) { try PhotoFiles(storage: folder.path, lane: lane) }
    #expect(error?.path == "\(folder.path)/\(name)")
  }

  @Test func `a start removes what uploads left behind, and no photo`() async throws {
    defer { lane.shutDown() }
    let folder = try StorageFolder()
    let files = try PhotoFiles(storage: folder.path, lane: lane)
    let id = String(repeating: "k", count: Photo.idLength)
    let photo = files.receive(id: id)
    try await photo.append(Samples.png[...])
    try await photo.moveIntoPlace()
    photo.keep()
    try folder.write(Samples.png, to: "incoming/\(String(repeating: "l", count: Photo.idLength))")
    try folder.write([], to: "incoming/.hidden")

    _ = try PhotoFiles(storage: folder.path, lane: lane)
    #expect(try folder.files(in: "incoming").isEmpty)
    #expect(try folder.files(in: "photos") == ["kk/\(id)"])
  }

  @Test func `what is not kept is gone, before and after it was moved`() async throws {
    defer { lane.shutDown() }
    let folder = try StorageFolder()
    let files = try PhotoFiles(storage: folder.path, lane: lane)
    for isMoved in [false, true] {
      var photo: IncomingPhoto? = files.receive(id: String(repeating: "m", count: Photo.idLength))
      try await photo?.append(Samples.bytes(600_000)[...])
      if isMoved { try await photo?.moveIntoPlace() }
      #expect(try folder.files(in: isMoved ? "photos" : "incoming").count == 1)
      photo = nil
      #expect(try folder.files(in: "photos") + folder.files(in: "incoming") == [])
    }
  }

  @Test func `a photo can be opened with its size, and removed twice`() async throws {
    defer { lane.shutDown() }
    let folder = try StorageFolder()
    let files = try PhotoFiles(storage: folder.path, lane: lane)
    let id = String(repeating: "n", count: Photo.idLength)
    #expect(try files.open(id) == nil)
    let photo = files.receive(id: id)
    try await photo.append(Samples.png[...])
    try await photo.moveIntoPlace()
    photo.keep()
    #expect(try files.open(id)?.byteCount == Int64(Samples.png.count))
    try await files.remove(id)
    try await files.remove(id)
    #expect(try files.open(id) == nil)
  }

  @Test(
    arguments: [
      (String(repeating: "a", count: 41), true), ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO", true),
      (String(repeating: "Z", count: 41), true), ("", false), (String(repeating: "a", count: 40), false),
      (String(repeating: "a", count: 42), false), (String(repeating: "a", count: 40) + "/", false),
      (String(repeating: "a", count: 40) + ".", false), (String(repeating: "a", count: 40) + "1", false),
      (String(repeating: "a", count: 40) + "[", false), (String(repeating: "a", count: 40) + "@", false),
      (String(repeating: "a", count: 40) + "`", false), (String(repeating: "a", count: 40) + "{", false),
      (String(repeating: "a", count: 40) + "\0", false), (String(repeating: "a", count: 39) + "é", false),
    ] as [(String, Bool)])
  func `an id has 41 letters, so that it is a safe file name`(_ text: String, _ isID: Bool) {
    #expect(Photo.isID(text.utf8) == isID)
  }
}
