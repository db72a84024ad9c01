/// Submissions in the order in which they were sent. Taking the first one costs the same however many there are.
struct SubmissionQueue {
  private var submissions: [Submission?] = []
  private var head = 0

  var count: Int { submissions.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Submission? { isEmpty ? nil : submissions[head] }

  mutating func append(_ submission: Submission) {
    submissions.append(submission)
  }

  mutating func removeFirst() -> Submission? {
    guard let first else { return nil }
    submissions[head] = nil
    head += 1
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
