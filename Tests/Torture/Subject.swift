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
  /// Where CI fails, nobody can look at the file.
  var endOfLog: String {
    ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").suffix(5).joined(separator: "\n")
  }

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
  ///
  /// - Parameter others: settings besides the usual ones.
  func launch(_ others: [String: String] = [:]) throws -> Child {
    try child(["serve"], ["PORT": "0"].merging(others) { $1 }, failing: true)
  }

  /// A command that may be killed.
  func begin(_ arguments: [String], _ others: [String: String]) throws -> Child {
    try child(arguments, others, failing: false)
  }

  /// Runs a command to its end.
  ///
  /// - Parameter failing: whether system calls of it may be made to fail.
  /// - Returns: its status, and what it has printed.
  func run(
    _ arguments: [String], _ others: [String: String] = [:], failing: Bool = false
  ) throws -> (status: Int32, text: String) {
    let child = try child(arguments, others, failing: failing)
    let text = String(decoding: child.rest(), as: UTF8.self)
    return (child.end(), text)
  }

  private func child(_ arguments: [String], _ others: [String: String], failing: Bool) throws -> Child {
    var environment = Self.environment(storage: storage).merging(others) { $1 }
    if failing, let faults {
      environment["LD_PRELOAD"] = faults
      environment["FAULTS"] = plan
    }
    return try Child(program, arguments, environment: environment, log: log)
  }

  /// A server that answers, on which port, and the seconds from its start to its first response.
  ///
  /// - Parameter others: settings besides the usual ones.
  func start(_ others: [String: String] = [:]) throws -> (server: Child, port: Int, seconds: Double) {
    let begin = Self.seconds
    let server = try launch(others)
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
    let (status, text) = try run(arguments)
    let report = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    guard status == 0 || status == 1, let findings = report?["findings"] as? [[String: Any]] else {
      throw Violation("doctor ended with \(status): \(text)")
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
package func mountSmallDisk(at folder: String) -> Bool {
  mount("tmpfs", folder, "tmpfs", 0, "size=256m,mode=0755") == 0
}
