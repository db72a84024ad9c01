import Glibc
import Measuring
import Platform
import Synchronization

/// The upper bound for uploads: writes files as durably as the server writes photos, without a server and a database.
/// Each thread repeats these steps: it writes a file, fsyncs it, renames it into the folder of its first two letters,
/// and fsyncs that folder.
///
/// Prints how many files it writes per second.
@main
struct DurableWrite {
  static func main() throws {
    let arguments = arguments("durable-write FOLDER SECONDS THREADS BYTES")
    let (folder, seconds) = (arguments[0], Double(number(arguments[1])))
    let bytes = (0..<number(arguments[3])).map { _ in UInt8.random(in: 0...255) }
    for name in ["photos", "incoming"] { mkdir("\(folder)/\(name)", 0o700) }

    let files = Atomic<Int>(0)
    let start = monotonicSeconds()
    let threads = try (0..<number(arguments[2])).map { _ in
      try Thread(named: "write") {
        while monotonicSeconds() - start < seconds {
          keep(bytes, in: folder)
          files.add(1, ordering: .relaxed)
        }
      }
    }
    for thread in threads { thread.join() }
    print(decimals(Double(files.load(ordering: .relaxed)) / (monotonicSeconds() - start), 2))
  }

  private static func keep(_ bytes: [UInt8], in root: String) {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    let name = String((0..<41).map { _ in letters[Int.random(in: letters.indices)] })
    let (incoming, folder) = ("\(root)/incoming/\(name)", "\(root)/photos/\(name.prefix(2))")
    let file = open(incoming, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0, write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, close(file) == 0 else {
      fail("\(incoming): \(String(cString: strerror(errno)))")
    }
    if mkdir(folder, 0o700) == 0 { sync("\(root)/photos") }
    guard rename(incoming, "\(folder)/\(name)") == 0 else { fail("\(folder): \(String(cString: strerror(errno)))") }
    sync(folder)
  }

  private static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, fsync(descriptor) == 0 else { fail("\(folder): \(String(cString: strerror(errno)))") }
    close(descriptor)
  }
}
