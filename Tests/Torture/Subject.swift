import Foundation
import Glibc
import TestSupport

/// The server that is put to the test.
struct Subject {
  /// The program, and the library that lets system calls fail.
  let program: String
  let faults: String?
  /// Everything that the server has is in it.
  let folder: String

  var storage: String { "\(folder)/storage" }
  var plan: String { "\(folder)/faults" }
  var filler: String { "\(folder)/filler" }
  private var log: String { "\(folder)/server.log" }

  /// What each server under test is told.
  static func environment(storage: String) -> [String: String] {
    [
      "PATH": "/usr/bin:/bin", "STORAGE_DIR": storage, "PASSWORD_COST": "4", "RATE_LIMIT": "off",
      "LOG_LEVEL": "warning", "API_AUTH_NAME": AppRequests.torture.name,
      "API_AUTH_PASSWORD": AppRequests.torture.password,
      // The log's threshold is what counts, not that a photo of the greatest size might come.
      "MAX_PHOTO_BYTES": "8388608",
    ]
  }

  /// A server that has been started, and may not listen yet.
  func launch() throws -> Child {
    var environment = Self.environment(storage: storage).merging(["PORT": "0"]) { $1 }
    if let faults {
      environment["LD_PRELOAD"] = faults
      environment["FAULTS"] = plan
    }
    return try Child(program, ["serve"], environment: environment, log: log)
  }

  /// A server that answers, on which port, and the seconds from its start to its first response.
  func start() throws -> (server: Child, port: Int, seconds: Double) {
    let begin = Self.seconds
    let server = try launch()
    guard let port = server.line()?.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw Violation("the server does not start; see \(log)")
    }
    let status = try? Client(port: port).send(AppRequest("GET", "/up")).status
    guard status == 200 else { throw Violation("the server does not answer; see \(log)") }
    return (server, port, Self.seconds - begin)
  }

  /// What `selfie-server doctor` finds in a storage that no server uses.
  ///
  /// - Parameter allowed: kinds of findings that are in order.
  func checkByDoctor(all: Bool, allowed: Set<String>) throws {
    let arguments = ["doctor", "--json"] + (all ? [] : ["--quick"])
    let doctor = try Child(program, arguments, environment: Self.environment(storage: storage), log: log)
    let output = doctor.rest()
    let status = doctor.end()
    let report = (try? JSONSerialization.jsonObject(with: Data(output))) as? [String: Any]
    guard status == 0 || status == 1, let findings = report?["findings"] as? [[String: Any]] else {
      throw Violation("doctor ended with \(status): \(String(decoding: output, as: UTF8.self))")
    }
    // How full this machine is does not matter.
    let wrong = findings.filter { !allowed.union(["free_space"]).contains($0["kind"] as? String ?? "") }
    guard wrong.isEmpty else { throw Violation("doctor finds \(wrong)") }
  }

  static var seconds: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}

/// Mounts a file system of its own: with room for what the clients keep, and little enough to be filled in no time. Only
/// root can do that.
public func mountSmallDisk(at folder: String) -> Bool {
  mount("tmpfs", folder, "tmpfs", 0, "size=256m,mode=0755") == 0
}
