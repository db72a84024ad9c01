// Transforms elements by tasks that wait, a bounded number at a time. Work that blocks a thread goes to a `WorkerPool`
// in Platform.
extension Collection where Element: Sendable {
  /// Transforms all elements, a bounded number at a time. The first error ends the rest.
  ///
  /// - Parameter each: receives each result as soon as there is one.
  /// - Returns: the results in the order of the elements.
  func mapConcurrently<Result: Sendable>(
    atOnce: Int, _ transform: @escaping @Sendable (Element) async throws -> Result, each: (Result) -> Void = { _ in }
  ) async throws -> [Result] {
    // Tasks would gain nothing, and each takes longer than, say, the status of a file.
    guard atOnce > 1 else {
      var results: [Result] = []
      for element in self {
        let result = try await transform(element)
        each(result)
        results.append(result)
      }
      return results
    }
    var rest = enumerated().makeIterator()
    var results = [Result?](repeating: nil, count: count)
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      func addNext() {
        guard let (index, element) = rest.next() else { return }
        group.addTask { (index, try await transform(element)) }
      }
      for _ in 0..<atOnce { addNext() }
      while let (index, result) = try await group.next() {
        results[index] = result
        each(result)
        addNext()
      }
    }
    return results.compactMap(\.self)
  }
}
