import Platform

extension Migrations {
  /// Far more than a step of the schema has; a larger file is not one.
  public static let maxFileBytes = 1 << 20

  /// Reads the files `NNNN_name.sql` of `directory`, numbered from 0001 without a gap. Refuses two files with one
  /// number, a missing number, and a `.sql` file of another name; other files and hidden ones are passed over.
  public init(directory: String) throws(MigrationError) {
    let names = try Self.reading(directory, FileSystem.names)
    let files = names.filter { $0.hasSuffix(".sql") && !$0.hasPrefix(".") }.sorted()
    guard !files.isEmpty else { throw MigrationError("\(directory): no migrations (NNNN_name.sql) here") }
    var steps: [Migration] = []
    for file in files {
      let number = try Self.number(of: file)
      guard number == steps.count + 1 else {
        throw MigrationError(
          number <= steps.count
            ? "\(file): there is another migration with this number"
            : "\(file): migration number \(steps.count + 1) is missing before it")
      }
      let bytes = try Self.contents(of: "\(directory)/\(file)")
      guard let sql = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
        throw MigrationError("\(file): not a text in UTF-8")
      }
      steps.append(Migration(name: String(file.dropLast(".sql".count)), sql: sql))
    }
    self.init(steps)
  }

  private static func number(of file: String) throws(MigrationError) -> Int {
    let digits = file.utf8.prefix(4)
    guard
      digits.allSatisfy(\.isASCIIDigit),
      let number = Int(String(Substring(digits))), number > 0,
      file.utf8.dropFirst(4).first == UInt8(ascii: "_"), file.utf8.count > "NNNN_.sql".utf8.count
    else { throw MigrationError("\(file): a migration is named NNNN_name.sql, from 0001 on") }
    return number
  }

  private static func contents(of path: String) throws(MigrationError) -> [UInt8] {
    let contents = try reading(path) { path throws(FileError) in
      try FileSystem.contents(of: path, maxBytes: maxFileBytes)
    }
    guard let contents else { throw MigrationError("\(path): there is no such file any more") }
    guard contents.count <= maxFileBytes else {
      throw MigrationError("\(path): more than \(maxFileBytes) bytes, too many for a migration")
    }
    return contents
  }

  private static func reading<Result>(
    _ path: String, _ read: (String) throws(FileError) -> Result
  ) throws(MigrationError) -> Result {
    do {
      return try read(path)
    } catch {
      throw MigrationError("\(path): \(error.reason)")
    }
  }
}
