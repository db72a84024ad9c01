import CCrypt
import Glibc
import Measuring
import Platform
import Synchronization

/// The upper bound for sign-ins: checks passwords on all cores without a server. Prints how many it checks per second.
@main
struct BcryptAlone {
  static func main() throws {
    let arguments = arguments("bcrypt-alone SECONDS COST")
    let (seconds, cost) = (Double(number(arguments[0])), number(arguments[1]))
    let setting = "$2b$\(cost < 10 ? "0" : "")\(cost)$abcdefghijklmnopqrstuu"
    let rates = Mutex<[Double]>([])
    let threads = try (0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))).map { _ in
      try Thread(named: "bcrypt") {
        let rate = hashes(setting: setting, for: seconds)
        rates.withLock { $0.append(rate) }
      }
    }
    for thread in threads { thread.join() }
    print(decimals(rates.withLock { $0.reduce(0, +) }, 2))
  }

  /// Hashes per second of one thread.
  private static func hashes(setting: String, for seconds: Double) -> Double {
    let size = MemoryLayout<crypt_data>.size
    let workspace = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { workspace.deallocate() }
    let start = monotonicSeconds()
    var count = 0
    while monotonicSeconds() - start < seconds {
      memset(workspace, 0, size)
      guard crypt_rn("secret12", setting, workspace, Int32(size)) != nil else { fail("crypt(3) refuses \(setting)") }
      count += 1
    }
    return Double(count) / (monotonicSeconds() - start)
  }
}
