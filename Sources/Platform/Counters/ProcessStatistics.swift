import Glibc

/// The system's statistics of this process. A value is nil where it cannot be known, as without /proc.
/// `ServerStatistics` in HTTPServer has the server's own counts.
package struct ProcessStatistics: Sendable {
  package private(set) var cpuNanoseconds: Int64?
  package private(set) var residentBytes: Int64?
  package private(set) var virtualBytes: Int64?
  package private(set) var openDescriptors: Int64?
  package private(set) var maxDescriptors: Int64?
  /// Unix seconds.
  package private(set) var startTime: Double?

  /// Reads a few files of /proc, which takes some ten microseconds.
  package static func current() -> ProcessStatistics {
    var statistics = ProcessStatistics()
    statistics.cpuNanoseconds = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    // The list has the descriptor by which it is read.
    statistics.openDescriptors = (try? FileSystem.names(in: "/proc/self/fd")).map { Int64($0.count) - 1 }
    statistics.maxDescriptors = descriptorLimit
    if let memory = memory() { (statistics.virtualBytes, statistics.residentBytes) = (memory.virtual, memory.resident) }
    statistics.readStartTime()
    return statistics
  }

  /// The bytes in memory that are in no file that is mapped.
  package static var anonymousBytes: Int64? { memory().map { $0.resident &- $0.shared } }

  /// The bytes of memory that a process has.
  private struct Memory {
    let virtual: Int64
    let resident: Int64
    let shared: Int64
  }

  /// The first three numbers of statm(5) are pages.
  private static func memory() -> Memory? {
    let pages = text("/proc/self/statm").split(separator: " ").prefix(3).compactMap { Int64($0) }
    guard pages.count == 3 else { return nil }
    let pageBytes = Int64(sysconf(Int32(_SC_PAGESIZE)))
    return Memory(virtual: pages[0] &* pageBytes, resident: pages[1] &* pageBytes, shared: pages[2] &* pageBytes)
  }

  /// How many descriptors the process may have open; nil if the system does not say.
  package static var descriptorLimit: Int64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int64(clamping: limit.rlim_cur)
  }

  /// The 22nd field of proc_pid_stat(5), in clock ticks since the system's start, of which /proc/stat has the time. The
  /// second field, the program's name, may hold spaces and parentheses.
  private mutating func readStartTime() {
    let fields = Self.text("/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
    let boot = Self.text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
    guard fields.count > 19, let ticks = Double(fields[19]), let boot = boot.flatMap({ Double($0) }) else { return }
    startTime = boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func text(_ path: String) -> String {
    String(decoding: (try? FileSystem.contents(of: path, maxBytes: 1024 * 1024)) ?? [], as: UTF8.self)
  }
}
