import Glibc
import Measuring

/// The kernel's figures for the server's process (proc(5)).
public struct ServerProcess: Sendable {
  public let pid: Int32

  public init(pid: Int32) {
    self.pid = pid
  }

  /// The process has ended.
  public struct Ended: Error, CustomStringConvertible {
    public let description = "the server is not there any more"
  }

  public struct Sample: Sendable {
    public let time: Double
    public let descriptors: Int
    public let residentBytes: Int
    /// Seconds of all threads, in user mode and in kernel mode.
    public let processorTime: Double

    /// As a share of one core.
    public func processorShare(since earlier: Sample) -> Double {
      (processorTime - earlier.processorTime) / (time - earlier.time)
    }
  }

  public func sample() throws(Ended) -> Sample {
    guard let descriptors = descriptorCount(), let pages = number(in: "statm", at: 1),
      // The fields after the program's name: the state is the first, utime and stime the 12th and 13th.
      let user = number(in: "stat", at: 11), let system = number(in: "stat", at: 12)
    else { throw Ended() }
    return Sample(
      time: monotonicSeconds(), descriptors: descriptors, residentBytes: pages * Int(sysconf(Int32(_SC_PAGESIZE))),
      processorTime: Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  private func descriptorCount() -> Int? {
    guard let folder = opendir("/proc/\(pid)/fd") else { return nil }
    defer { closedir(folder) }
    var entries = 0
    while readdir(folder) != nil { entries += 1 }
    // Without `.` and `..`.
    return entries - 2
  }

  private func number(in file: String, at index: Int) -> Int? {
    let descriptor = open("/proc/\(pid)/\(file)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    var text = Substring(decoding: bytes[..<count], as: UTF8.self)
    // The name is in parentheses and may contain spaces.
    if let name = text.lastIndex(of: ")") { text = text[text.index(after: name)...] }
    let fields = text.split { $0 == " " || $0 == "\n" }
    return fields.indices.contains(index) ? Int(fields[index]) : nil
  }
}
