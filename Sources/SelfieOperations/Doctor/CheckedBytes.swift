import Platform
import SelfieAPI

// Checks the bytes of a photo. `RowCheck` reports them, and StorageCheck+Folders.swift finds files of no photo.

/// The state of a photo's bytes.
enum PhotoCondition: Sendable {
  case missing
  case wrong(StorageIssue.Kind, String)
  /// As many bytes as were uploaded. If they were read, they are those, and have this digest.
  case sound(sha256: [UInt8]?)
  case unreadable(FileError)
  /// The photo's id is not one that a server makes, so it has no bytes and no address.
  case impossible
}

/// Where the bytes of photos are.
protocol CheckedBytes: Sendable {
  /// What follows "the file of a photo".
  var messageOnMissing: String { get }
  /// The end of messages on other bytes than were uploaded.
  var remedy: String { get }
  var photosAtOnce: Int { get }

  /// The name of a photo in findings.
  func subject(_ id: String) -> String
  /// How many bytes a photo has; nil if there are none.
  ///
  /// - Throws: `FileError.notPlain` for anything that is not a file.
  func byteCount(of photo: Photo) async throws -> Int64?
  /// Reads all bytes of a photo; nil if there are none any more.
  func digest(of photo: Photo) async throws -> [UInt8]?
}

extension CheckedBytes {
  /// - Parameter reads: whether all bytes are read.
  func condition(of photo: Photo, reads: Bool) async throws -> PhotoCondition {
    // Anything else may be a path to another folder.
    guard Photo.isID(photo.randomID.utf8) else { return .impossible }
    do {
      guard let byteCount = try await byteCount(of: photo) else { return .missing }
      guard byteCount == photo.byteCount else {
        return .wrong(
          .wrongSize, "it has \(counted(byteCount, "byte")), but \(photo.byteCount) were uploaded. \(remedy)")
      }
      guard reads else { return .sound(sha256: nil) }
      guard let sha256 = try await digest(of: photo) else { return .missing }
      guard photo.sha256 == nil || photo.sha256 == sha256 else {
        return .wrong(.wrongDigest, "its bytes differ from those that were uploaded. \(remedy)")
      }
      return .sound(sha256: sha256)
    } catch let error as FileError where error.number == FileError.notPlain {
      return .wrong(.wrongKind, "it is not a plain file, so it is not served. \(remedy)")
    } catch let error as FileError {
      return .unreadable(error)
    }
  }
}

extension PhotoFiles: CheckedBytes {
  var messageOnMissing: String {
    "is missing. \(remedy) Or stop the server and run "
      + "selfie-server doctor --repair --drop-missing to take its row out of the database."
  }
  var remedy: String { "Put it back from a backup: selfie-server restore --photo." }
  /// Names and sizes are read ahead, and the contents of several files would wait for one disk.
  var photosAtOnce: Int { 1 }

  func subject(_ id: String) -> String { StorageLayout.photo(id) }

  func byteCount(of photo: Photo) throws -> Int64? {
    let status = try status(photo.randomID)
    guard status.map({ $0.kind == .file }) ?? true else {
      throw FileError("lstat", path(of: photo.randomID), number: FileError.notPlain)
    }
    return status?.byteCount
  }

  func digest(of photo: Photo) throws -> [UInt8]? { try digest(of: photo.randomID) }
}

/// The objects of a cluster's photos.
struct CheckedObjects: CheckedBytes {
  let objects: any PhotoObjects

  var messageOnMissing: String { "is missing in the object store. \(remedy)" }
  var remedy: String { "Put it back from another copy of the bucket." }
  /// Each waits for the store most of the time.
  var photosAtOnce: Int { 8 }

  func subject(_ id: String) -> String { "photo \(id)" }

  func byteCount(of photo: Photo) async throws -> Int64? { try await objects.size(photo.randomID) }

  func digest(of photo: Photo) async throws -> [UInt8]? {
    do {
      return try await objects.digest(of: photo)
    } catch let error as PhotoObjectsError where error.kind == .missing {
      return nil
    }
  }
}
