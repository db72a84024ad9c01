/// Submissions in the order in which they were sent. Taking the first one costs the same however many there are.
struct SubmissionQueue {
  private var submissions: [Submission?] = []
  private var head = 0
  /// How many batches they have that are not answered yet.
  private(set) var batchCount = 0

  var isEmpty: Bool { submissions.count == head }
  var first: Submission? { isEmpty ? nil : submissions[head] }

  mutating func append(_ submission: Submission) {
    submissions.append(submission)
    batchCount += submission.batches.count
  }

  mutating func removeFirst() -> Submission? {
    guard let first else { return nil }
    submissions[head] = nil
    head += 1
    batchCount -= first.batches.count
    // At most half of the array is empty.
    if head * 2 >= submissions.count {
      submissions.removeFirst(head)
      head = 0
    }
    return first
  }

  mutating func updateFirst<Result>(_ change: (inout Submission) -> Result) -> Result? {
    guard var first else { return nil }
    submissions[head] = nil
    batchCount -= first.batches.count
    defer {
      submissions[head] = first
      batchCount += first.batches.count
    }
    return change(&first)
  }

  mutating func removeAll() -> [Submission] {
    defer { self = SubmissionQueue() }
    return submissions.compactMap(\.self)
  }
}
