import Cryptography
package import Platform

// Reads a file. `SHA256` in Cryptography computes the digest.
extension SHA256 {
  /// The SHA-256 of a whole file.
  package static func digest(of file: OpenFile, path: String) throws -> [UInt8] {
    let digest = SHA256()
    try FileSystem.forEachChunk(of: file, path: path) { digest.update($0) }
    return digest.finish()
  }
}
