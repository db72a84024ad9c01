import SQL

/// Queries that change nothing and are sent together, and the callback for their results.
struct Batch {
  let queries: [Query]
  /// Whether it was sent before, and the server has undone it because of an error of its own that may be gone.
  private(set) var isRepeated = false
  /// Is called once.
  let completion: (Result<[Rows], SharedDatabaseError>) -> Void

  init(queries: [Query], completion: @escaping (Result<[Rows], SharedDatabaseError>) -> Void) {
    self.queries = queries
    self.completion = completion
  }

  /// The same, to be sent once more.
  var repeated: Batch {
    var batch = self
    batch.isRepeated = true
    return batch
  }

  /// The queries as libpq takes them; nil if one of them cannot be sent. The batch has failed then.
  func encoded() -> [(sql: StaticString, parameters: EncodedParameters)]? {
    do throws(SharedDatabaseError) {
      return try queries.map { query throws(SharedDatabaseError) in (query.sql, try EncodedParameters(query.values)) }
    } catch {
      fail(error)
      return nil
    }
  }

  func fail(_ error: SharedDatabaseError) {
    completion(.failure(error))
  }
}
