import Glibc

extension Migrations {
  /// Far more than a step of the schema has; a larger file is not one.
  public static let maximumFileBytes = 1 << 20

  /// Reads the files `NNNN_name.sql` of `directory`, numbered from 0001 without a gap. `digest` gives a file's SHA-256
  /// in hexadecimal. Refuses two files with one number, a missing number, and a `.sql` file of another name; other
  /// files and hidden ones are passed over.
  public init(directory: String, digest: ([UInt8]) -> String) throws(MigrationError) {
    let files = try Self.fileNames(in: directory).filter { $0.hasSuffix(".sql") && !$0.hasPrefix(".") }.sorted()
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
      steps.append(Migration(name: String(file.dropLast(".sql".count)), sql: sql, sha256: digest(bytes)))
    }
    self.init(steps)
  }

  private static func number(of file: String) throws(MigrationError) -> Int {
    let digits = file.utf8.prefix(4)
    guard
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(String(Substring(digits))), number > 0,
      file.utf8.dropFirst(4).first == UInt8(ascii: "_"), file.utf8.count > "NNNN_.sql".utf8.count
    else { throw MigrationError("\(file): a migration is named NNNN_name.sql, from 0001 on") }
    return number
  }

  static func fileNames(in directory: String) throws(MigrationError) -> [String] {
    guard let stream = opendir(directory) else { throw failure(directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw failure(directory) }
        return names
      }
      // The name reaches beyond the struct's own size where the file system allows longer ones, so it is read in place.
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
      names.append(String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)))
    }
  }

  private static func contents(of path: String) throws(MigrationError) -> [UInt8] {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path) }
    defer { Glibc.close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer.prefix(count))
      guard bytes.count <= maximumFileBytes else {
        throw MigrationError("\(path): more than \(maximumFileBytes) bytes, too many for a migration")
      }
    }
  }

  private static func failure(_ path: String) -> MigrationError {
    MigrationError("\(path): \(String(cString: strerror(errno)))")
  }
}
