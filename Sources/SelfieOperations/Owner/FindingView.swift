import HTTPMessages

/// A finding of a check of the storage, as the owner's page shows it: an issue, or a failure to check something, of which
/// there is only a message.
package struct FindingView: Codable, OmitsNil, Equatable, Sendable {
  package let kind: StorageIssue.Kind?
  package let subject: String?
  package let message: String
  package let isRepaired: Bool?

  /// Nil for an event that is no finding.
  init?(_ event: CheckEvent) {
    switch event {
    case .issue(let issue):
      kind = issue.kind
      subject = issue.subject
      message = issue.message
      isRepaired = issue.isRepaired
    case .failure(let text):
      kind = nil
      subject = nil
      message = text
      isRepaired = nil
    case .remark, .progress: return nil
    }
  }

  private enum CodingKeys: String, CodingKey {
    case kind, subject, message
    case isRepaired = "repaired"
  }
}
