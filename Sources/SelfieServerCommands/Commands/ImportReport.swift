import Platform
import SelfieAPI
import SelfieOperations

/// Describes what an import did or would do.
struct ImportReport {
  let plan: ImportPlan
  let dump: RailsDump
  let isWritten: Bool

  var text: String {
    var lines: [String] = []
    if !plan.refusals.isEmpty {
      lines.append("Not imported:")
      lines += plan.refusals.map { "  line \($0.line): \($0.subject): \($0.reason)" }
    }
    lines.append("Users:  " + Self.counts(plan.users))
    lines.append("Tokens: " + Self.counts(plan.tokens) + Self.tokenCounts(plan.tokens))
    lines.append(
      "Photos: " + Self.counts(plan.photos) + "; \(counted(plan.byteCount, "byte")) \(isWritten ? "copied" : "to copy")"
    )
    if plan.users.newIDs + plan.photos.newIDs > 0 {
      lines.append(
        "New ids, as theirs are not free: \(counted(plan.users.newIDs, "user")), "
          + counted(plan.photos.newIDs, "photo"))
    }
    if !dump.hasPhotos { lines.append("The dump has no table photos.") }
    if !dump.skipped.isEmpty {
      let tables = dump.skipped.map { "\($0.table) (\(counted($0.rows, "row")))" }
      lines.append("Tables skipped: " + tables.joined(separator: ", "))
    }
    if !isWritten { lines.append("Nothing was written. With --write, this is what is done.") }
    return lines.map { $0.printable + "\n" }.joined()
  }

  private static func counts(_ counts: ImportPlan.Counts) -> String {
    "\(counts.taken) taken, \(counts.alreadyThere) already there, \(counts.refused) refused"
  }

  private static func tokenCounts(_ counts: ImportPlan.Counts) -> String {
    ", \(counts.expired) expired" + (counts.ended > 0 ? ", \(counts.ended) ended here since an earlier import" : "")
  }
}
