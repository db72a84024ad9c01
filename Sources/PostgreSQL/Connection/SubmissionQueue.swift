/// Submissions in the order in which they were sent. Taking the first one costs the same however many there are.
struct SubmissionQueue {
  private var submissions: [Submission?] = []
  private var head = 0
  /// How many batches they have, where a preparation counts as one.
  private(set) var batchCount = 0

  var isEmpty: Bool { submissions.count == head }
  var first: Submission? { isEmpty ? nil : submissions[head] }

  mutating func append(_ submission: Submission) {
    submissions.append(submission)
    batchCount += max(1, submission.batches.count)
  }

  mutating func removeFirst() -> Submission? {
    guard let first else { return nil }
    submissions[head] = nil
    head += 1
    batchCount -= max(1, first.batches.count)
    // At most half of the array is empty.
    if head * 2 >= submissions.count {
      submissions.removeFirst(head)
      head = 0
    }
    return first
  }

  mutating func updateFirst(_ change: (inout Submission) -> Void) {
    guard var first else { return }
    submissions[head] = nil
    change(&first)
    submissions[head] = first
  }

  mutating func removeAll() -> [Submission] {
    defer { self = SubmissionQueue() }
    return submissions.compactMap(\.self)
  }
}
