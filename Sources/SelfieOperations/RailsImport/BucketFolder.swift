import Platform

/// The folder to which a bucket of S3 was copied: a plain file for each photo, named by its random_id.
struct BucketFolder: Sendable {
  let folder: String

  /// - Parameter id: of a photo, and so a safe name.
  func find(_ id: String) throws(NoPlainFile) -> PlainFile {
    let file = try PlainFile(path: "\(folder)/\(id)")
    guard file.byteCount > 0 else { throw NoPlainFile("\(file.path) is empty") }
    return file
  }
}
