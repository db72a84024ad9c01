/// A photo, less its bytes.
package struct Photo: Sendable, Equatable {
  /// 41 letters; who knows them may see the photo.
  let randomID: String
  let userID: Int64
  let name: String?
  let title: String
  let byteCount: Int64
  let contentType: String
  /// Unix milliseconds.
  let createdAt: Int64

  /// The original's `rand_string(40)` made one letter more than asked for.
  package static let idLength = 41

  /// How much of an id may be in a log: enough to find the file by, and far too little to see the photo.
  static let loggedLetters = 8

  /// Whether this could be the id of a photo: letters only, so that it is a safe file name too.
  package static func isID(_ text: some Collection<UInt8>) -> Bool {
    text.count == idLength && text.allSatisfy { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
  }
}
