/// What the API reads of a request, in bytes; the largest photo is the owner's to set.
///
/// The server's limits on heads, connections and time are in `HTTPServer.Limits`. Those that belong to
/// a format stand with its parser: `MultipartParser` (parts, their heads, the boundary),
/// `NestedParameters` (how many, how deep) and `JSONReader` (how deep).
package enum RequestLimits {
  /// A JSON, form or multipart body that is read as a whole. The longest that a client sends, a
  /// signup, has less than a thousand.
  static let parameters = 1024 * 1024

  /// A text part of a multipart body, such as a photo's title of 255 characters.
  static let textPart = 64 * 1024

  /// The multipart body of an upload beside the photo: boundaries, the title, other fields.
  static let besidePhoto = 1024 * 1024

  /// What is sent as a token: none has as many letters, so whatever is longer need not be looked up.
  package static let token = 256

  /// Greater ids are not kept: not every reader of JSON takes them exactly, and there must be more after them.
  package static let greatestKeptID: Int64 = 1 << 53 - 1
}
