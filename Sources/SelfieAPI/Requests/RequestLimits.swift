import HTTPMessages

/// The limits on what the API accepts in a request.
///
/// The limits on heads, connections and time are in `HTTPServer.Limits`. Limits of a format stand with its parser:
/// `MultipartParser` (parts, their heads, the boundary), `FormParameters` (how many, how deep) and `JSONReader` (how
/// deep).
package enum RequestLimits {
  /// A body of JSON, a form or a multipart that is read as a whole. The longest that a client sends, a signup, has less
  /// than a thousand bytes.
  static let maxParameterBytes = 1024 * 1024

  /// A longer body or query is parsed by a worker. The costliest take 150 nanoseconds a byte, and an event loop should
  /// spend no more than a millisecond on a request.
  static let maxBytesParsedOnLoop = 4 * 1024

  /// A text parameter, such as a photo's title of 255 characters.
  static let maxTextBytes = 64 * 1024

  /// A password as an app sends it: 72 bytes, the most that bcrypt reads, are 108 letters when they are encrypted. The
  /// event loop decrypts it, and looks at each letter of one that does not decrypt.
  static let maxPasswordBytes = 4 * 1024

  /// The memory for a body of `bytes` bytes and the parameters in it: their texts, and a level of nesting for every three
  /// bytes, in which `[a]` is written. Nothing in JSON takes more.
  static func memory(forParametersIn bytes: Int) -> Int {
    2 * bytes + FormParameters.bytesPerLevel * min(bytes / 3, FormParameters.maxLevels)
  }

  /// The multipart body of an upload other than the photo: boundaries, the title, other fields. Its texts are held until
  /// the upload ends.
  package static let maxBytesBesidePhoto = 1024 * 1024

  /// The 255 characters of a column. A longer text cannot be in one, so it need not be looked up.
  static let maxKeyBytes = 4 * 255

  /// The elements of a list that a client can read in parts.
  static let maxListLength: Int64 = 1000

  /// A longer text cannot be a token, so it need not be looked up.
  package static let maxTokenBytes = 256

  /// An imported id above this is replaced by a new one: JSON readers with floating-point numbers do not read it
  /// exactly, and the ids after it must fit as well.
  package static let maxKeptID: Int64 = 1 << 53 - 1
}
