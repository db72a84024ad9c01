import Platform
import SQL

/// A photo, without its bytes: a row of the table `photos`.
public struct Photo: Sendable, Equatable, RowRecord {
  /// 0 until the photo has a row: the insert gives the next id.
  public var id: Int64
  /// 41 letters; who knows them may see the photo.
  public var randomID: String
  public var userID: Int64
  public var name: String?
  public var title: String
  public var byteCount: Int64
  public var contentType: String
  /// Unix milliseconds.
  public var createdAt: Int64
  public var updatedAt: Int64
  /// Of the bytes; nil where it was not computed yet.
  public var sha256: [UInt8]?

  /// - Parameter updatedAt: nil: as `createdAt`.
  public init(
    id: Int64 = 0, randomID: String, userID: Int64, name: String?, title: String, byteCount: Int64,
    contentType: String, createdAt: Int64, updatedAt: Int64? = nil, sha256: [UInt8]? = nil
  ) {
    self.id = id
    self.randomID = randomID
    self.userID = userID
    self.name = name
    self.title = title
    self.byteCount = byteCount
    self.contentType = contentType
    self.createdAt = createdAt
    self.updatedAt = updatedAt ?? createdAt
    self.sha256 = sha256
  }

  /// Reads a whole row, from the column `first` on.
  package init(_ row: borrowing some RowReader & ~Copyable, from first: Int32 = 0) {
    self.init(
      id: row.integer(first), randomID: row.text(first + 1) ?? "", userID: row.integer(first + 2),
      name: row.text(first + 3), title: row.text(first + 4) ?? "", byteCount: row.integer(first + 5),
      contentType: row.text(first + 6) ?? "", createdAt: row.integer(first + 7), updatedAt: row.integer(first + 8),
      sha256: row.isNull(first + 9) ? nil : row.blob(first + 9))
  }

  /// The original's `rand_string(40)` made one letter more than asked for.
  package static let idLength = 41

  /// Letters of an id that may be in a log: enough to find the file by, and far too little to see the photo.
  static let loggedLetters = 8
  package var loggedID: String { "\(randomID.prefix(Self.loggedLetters))…" }

  /// Whether this could be the id of a photo: letters only, so that it is a safe file name too.
  package static func isID(_ text: some Collection<UInt8>) -> Bool {
    text.count == idLength && text.allSatisfy(\.isASCIILetter)
  }
}
