import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieOperations

/// Prints the findings of a check as they come. If their reader goes away, the check goes on for its exit status.
/// `Findings` in SelfieOperations counts the findings.
final class DoctorReport: Sendable {
  /// JSON has the texts of this many failures, and counts the others.
  private static let maxFailures = 100

  private let isJSON: Bool
  private let line = ProgressLine()
  /// How many findings JSON may list.
  private let maxFindings: Int
  private let state = Monitor<(remarks: [String], failures: [String], listed: Int)>(([], [], 0))

  init(isJSON: Bool, maxFindings: Int = .max) {
    self.isJSON = isJSON
    self.maxFindings = maxFindings
    if isJSON { Terminal.write(json: Array("{\"findings\":[".utf8)) }
  }

  func add(_ event: CheckEvent) {
    if case .progress = event {} else { line.clear() }
    switch event {
    // A terminal that shows JSON has no line to spare.
    case .progress(let progress): if !isJSON { line.show(progress) }
    case .issue(let issue) where isJSON:
      let number = state.withLock { state in
        state.listed += 1
        return state.listed
      }
      guard number <= maxFindings else { return }
      Terminal.write(json: (number == 1 ? [] : [UInt8(ascii: ",")]) + issue.json)
    case .issue(let issue): Terminal.writeLines(issue.line, to: STDOUT_FILENO)
    case .remark(let text) where isJSON: state.withLock { $0.remarks.append(text) }
    case .remark(let text): Terminal.writeLines("note: \(text)", to: STDOUT_FILENO)
    case .failure(let text):
      Terminal.writeLines("selfie-server: \(text)", to: STDERR_FILENO)
      state.withLock { if $0.failures.count < Self.maxFailures { $0.failures.append(text) } }
    }
  }

  /// Ends the report.
  ///
  /// - Throws: `ExitCode`, unless the status is 0.
  func end(_ counts: CheckCounts) throws {
    line.clear()
    if isJSON {
      let (remarks, failures, _) = state.withLock { $0 }
      try Terminal.writeJSON(
        Array("],\"remarks\":".utf8) + JSONWriter.encode(remarks) + Array(",\"failures\":".utf8)
          + JSONWriter.encode(failures) + Array(",\"counts\":".utf8) + JSONWriter.encode(counts) + Array("}".utf8))
    } else {
      Terminal.writeLines(Self.summary(counts), to: STDOUT_FILENO)
    }
    if counts.failures > 0 { throw ExitCode(2) }
    if counts.findings > counts.repaired { throw ExitCode(1) }
  }

  private static func summary(_ counts: CheckCounts) -> String {
    var parts = ["Checked \(counted(counts.photos, "photo")), and read \(counts.digests) of them."]
    if counts.photosWithoutDigest > 0 {
      parts.append(
        "\(counts.photosWithoutDigest) \(counts.photosWithoutDigest == 1 ? "has" : "have") no digest yet: "
          + "a running server computes it within seconds, as does --repair."
      )
    }
    let texts = [(counts.notes, "note"), (counts.blogposts, "post")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    if !texts.isEmpty { parts.append("Checked \(texts.joined(separator: " and ")).") }
    if counts.uploadsUnderWay > 0 { parts.append("Uploads in progress: \(counts.uploadsUnderWay).") }
    if counts.failures > 0 { parts.append("Not everything could be checked.") }
    let left = counts.findings - counts.repaired
    switch (counts.repaired, left) {
    case (0, 0): if counts.failures == 0 { parts.append("Everything is in order.") }
    case (_, 0): parts.append("Repaired: \(counts.repaired).")
    case (0, _): parts.append("Not in order: \(left).")
    default: parts.append("Repaired: \(counts.repaired); still not in order: \(left).")
    }
    return parts.joined(separator: " ")
  }
}
