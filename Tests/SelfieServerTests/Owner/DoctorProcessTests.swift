import Foundation
import TestSupport
import Testing

@testable import SelfieServerCommands

/// Doctor as the owner's page runs it, with programs in its place that behave badly.
@Suite(.timeLimit(.minutes(2))) struct DoctorProcessTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A doctor that is a shell script.
  private func doctor(_ script: String, cluster: [String] = []) throws -> DoctorProcess {
    let path = "\(folder.path)/doctor"
    // Another process writes it: a process that another test starts meanwhile would inherit the descriptor of this one
    // for a moment, and a file that is open for writing cannot be run.
    let text = "#!/bin/sh\ncd '\(folder.path)'\n\(script)\n"
    let shell = try Program(
      "/bin/sh", ["-c", "printf %s \"$1\" > \"$0\" && chmod 700 \"$0\"", path, text],
      environment: ["PATH": "/usr/bin:/bin"], output: STDOUT_FILENO, errors: STDERR_FILENO)
    _ = shell.end()
    return DoctorProcess(storage: "a storage", cluster: cluster, executable: path)
  }

  private func failure(of doctor: DoctorProcess) async -> String {
    do {
      return "a report: \(String(decoding: try await doctor.report(), as: UTF8.self))"
    } catch {
      return "\(error)"
    }
  }

  @Test func `its arguments say where the storage is, and neither they nor its environment have a setting`()
    async throws
  {
    let report = try await doctor("printf '%s,' \"$@\"; env").report()
    let text = String(decoding: report, as: UTF8.self)
    #expect(
      text.hasPrefix(
        "doctor,--quick,--json,--max-findings,50,--exit-with-parent,--config,/dev/null,--storage-dir,a storage,"),
      "\(text)")
    #expect(text.contains("PATH="))
    let variables = Setting.allCases.flatMap { [$0.rawValue, $0.fileName ?? "TZ"].map { "\($0)=x\0" } }.joined()
    #expect(
      Set(SettingSources.withoutSettings(Array("LD_LIBRARY_PATH=/a=b\0\(variables)".utf8))) == [
        "LD_LIBRARY_PATH=/a=b", "TZ=x",
      ])
  }

  @Test func `its environment says where a cluster is, and its arguments do not`() async throws {
    let doctor = try doctor("echo \"$@\"; env", cluster: ["DATABASE_URL=postgres://u:secret@h/d", "S3_BUCKET=a b"])
    let lines = String(decoding: try await doctor.report(), as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("DATABASE_URL=postgres://u:secret@h/d") && lines.contains("S3_BUCKET=a b"))
    #expect(lines.first?.contains("secret") == false)
  }

  @Test(arguments: [
    ("echo report; exit 2", "a report: report\n"), ("exit 0", "It ended with status 0 and without a report."),
    ("echo usage; exit 64", "It ended with status 64 and without a report."), ("kill -9 $$", "It was killed."),
    ("yes", "It printed more than 1 MB, and was ended."),
  ])
  func `what it prints is bounded, and how it ends is told`(script: String, message: String) async throws {
    let doctor = try doctor(script)
    for _ in 0..<2 { #expect(await failure(of: doctor) == message) }
  }

  @Test func `a program that cannot be started is told`() async {
    let doctor = DoctorProcess(storage: "", executable: "/nowhere")
    #expect(await failure(of: doctor) == "posix_spawn: No such file or directory")
  }

  @Test func `a stop of the server ends it, and none starts after that`() async throws {
    let doctor = try doctor("echo $$ > pid.new; mv pid.new pid; exec sleep 1000")
    async let first = failure(of: doctor)
    try await waitUntil { folder.exists("pid") }
    #expect(await failure(of: doctor) == "Another check runs, or the server stops.")
    doctor.stop()
    #expect(await first == "It was killed.")
    let pid = try #require(pid_t(try folder.text(of: "pid").trimmingCharacters(in: .newlines)))
    #expect(kill(pid, 0) == -1 && errno == ESRCH)
    #expect(await failure(of: doctor) == "Another check runs, or the server stops.")
  }
}
