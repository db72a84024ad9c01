import Foundation
import Glibc
import TestSupport

/// The server that is put to the test.
struct Subject {
  /// The program, and the library that lets system calls fail.
  let program: String
  let faults: String?
  let place: Place

  private var environment: [String: String] {
    let environment = [
      "PATH": "/usr/bin:/bin", "STORAGE_DIR": place.storage, "PORT": "0",
      "PASSWORD_COST": "4", "RATE_LIMIT": "off", "LOG_LEVEL": "warning", "API_AUTH_NAME": API.name,
      "API_AUTH_PASSWORD": API.password,
      // The log's threshold is what counts, not that a photo of the greatest size might come.
      "MAX_PHOTO_BYTES": "8388608",
    ]
    return environment.merging(Program.sanitizerOptions) { $1 }
  }

  /// A server that has been started, and may not listen yet.
  func launch() throws -> (server: Program, output: Output) {
    var environment = environment
    if let faults {
      environment["LD_PRELOAD"] = faults
      environment["FAULTS"] = place.plan
    }
    return try run(["serve"], environment)
  }

  private func run(_ arguments: [String], _ environment: [String: String]) throws -> (Program, Output) {
    try Program.start(program, arguments, environment: environment, log: place.log)
  }

  /// A server that answers, on which port, and the seconds from its start to its first response.
  func start() throws -> (server: Program, port: Int, seconds: Double) {
    let begin = Self.seconds
    let (server, output) = try launch()
    guard let line = output.line(), let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw Violation("the server does not start; see \(place.log)")
    }
    let status = try? Client(port: port).send("GET", "/up").status
    guard status == 200 else { throw Violation("the server does not answer; see \(place.log)") }
    return (server, port, Self.seconds - begin)
  }

  /// What `selfie-server doctor` finds in a storage that no server uses.
  ///
  /// - Parameter allowed: kinds of findings that are in order.
  func checkByDoctor(all: Bool, allowed: Set<String>) throws {
    let (doctor, output) = try run(["doctor", "--json"] + (all ? [] : ["--quick"]), environment)
    let text = output.rest()
    let status = doctor.end()
    let report = (try? JSONSerialization.jsonObject(with: Data(text))) as? [String: Any]
    guard status == 0 || status == 1, let findings = report?["findings"] as? [[String: Any]] else {
      throw Violation("doctor ended with \(status): \(String(decoding: text, as: UTF8.self))")
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
