import Glibc
import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

extension PipelinedConnection {
  static func open(_ url: DatabaseURL? = nil, responseTimeout: Int64 = 10_000) throws -> PipelinedConnection {
    let url = try url ?? PostgreSQLServer.shared.url()
    return PipelinedConnection(
      try ClientConnection(url, name: url.applicationName), now: monotonicMilliseconds(),
      responseTimeout: responseTimeout)
  }

  /// Does as an event loop does, as long as a condition holds.
  func wait(while condition: () -> Bool) {
    while condition(), let descriptor {
      var waited = pollfd(fd: descriptor, events: Int16(wantsToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
      let timeout = deadline.map { max(0, $0 - monotonicMilliseconds()) } ?? 1000
      _ = poll(&waited, 1, Int32(timeout))
      let isReadable = Int32(waited.revents) & (POLLIN | POLLHUP | POLLERR) != 0
      if waited.revents != 0 { process(isReadable: isReadable, now: monotonicMilliseconds()) }
      expire(now: monotonicMilliseconds())
    }
  }

  func read(_ query: Query, completion: @escaping (Result<Rows, SharedDatabaseError>) -> Void) {
    do throws(SharedDatabaseError) {
      submit([try Read(query, completion)], now: monotonicMilliseconds())
    } catch {
      completion(.failure(error))
    }
  }

  private func result(of query: Query) -> Result<Rows, SharedDatabaseError> {
    var result: Result<Rows, SharedDatabaseError>?
    read(query) { result = $0 }
    wait { result == nil }
    return result ?? .failure(SharedDatabaseError(.bug, "not called"))
  }

  @discardableResult
  func rows(_ sql: StaticString, _ values: Value...) throws -> Rows {
    try result(of: Query(sql, values: values)).get()
  }

  func error(_ sql: StaticString, _ values: Value...) -> SharedDatabaseError? {
    result(of: Query(sql, values: values)).error
  }
}

extension Read {
  init(
    _ query: Query, _ completion: @escaping (Result<Rows, SharedDatabaseError>) -> Void
  ) throws(SharedDatabaseError) {
    self.init(sql: query.sql, values: try EncodedParameters(query.values), completion: completion)
  }
}

extension Result {
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
