import HTTPMessages
package import Platform
package import SQL
package import SQLite

// The database, and the subject of a write. The stores, such as `UserStore`, have the queries.

/// Where the product's rows are.
package enum ApplicationDatabase: Sendable {
  /// In a file of this process alone. Its rows can be read at once, without leaving the event loop.
  case file(Database)
  /// On a server, which other processes use too. Each read and each write takes a round trip.
  case shared(any SharedDatabase)

  /// Nil if the rows are in a shared database.
  package var file: Database? { if case .file(let file) = self { file } else { nil } }

  /// Nil if the rows are in a file.
  package var shared: (any SharedDatabase)? { if case .shared(let shared) = self { shared } else { nil } }
}

extension ApplicationDatabase {
  /// The first row of a query; nil if there is none.
  @inline(__always)
  package func first<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) async throws -> Record? {
    switch self {
    case .file(let file): try file.read { try $0.first(query) { Record($0) } }
    case .shared(let shared): try await shared.first(query)
    }
  }

  /// All rows of a query.
  package func all<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) async throws -> [Record] {
    switch self {
    case .file(let file): try file.read { try $0.all(query) }
    case .shared(let shared): try await shared.read(query).map { Record($0) }
    }
  }

  /// All rows of a query that takes a while. Where they are in a file, a thread of `workers` reads them.
  package func all<Record: RowRecord & Sendable>(
    _ query: Query, as _: Record.Type = Record.self, by workers: WorkerPool
  ) async throws -> [Record] {
    switch self {
    case .file(let file): try await workers.runUnlessCancelled { try file.read { try $0.all(query) } }
    case .shared: try await all(query)
    }
  }

  /// The first column of the first row of a query that takes a while; 0 if there is none.
  package func number(_ query: Query, by workers: WorkerPool) async throws -> Int64 {
    try await all(query, as: Int64.self, by: workers).first ?? 0
  }

  /// What is made of the first row of a query, by a thread of `workers` in turns by client; nil if there is no row.
  ///
  /// - Parameters:
  ///   - memory: reserves `byteCount` bytes before the row is read. To be kept until what was made is counted elsewhere:
  ///     it may wait in a queue until then.
  ///   - make: returns what it has made, with the bytes that it takes.
  func first<Record: RowRecord & Sendable, Result: Sendable>(
    _ query: Query, within memory: MemoryReservation, byteCount: Int, by workers: WorkerPool, flow: Flow,
    _ make: @escaping @Sendable (Record) -> Sized<Result>
  ) async throws -> Result? {
    let makeOfRow = { @Sendable (read: () throws -> Record?) in
      guard let record = try read() else { return nil as Result? }
      let made = make(record)
      // A part of what was reserved.
      _ = memory.resize(to: min(made.byteCount, byteCount))
      return made.value
    }
    switch self {
    case .file(let file):
      return try await workers.run(within: memory, byteCount: byteCount, flow: flow) {
        try makeOfRow { try file.read { try $0.first(query) { Record($0) } } }
      }
    case .shared(let shared):
      try memory.require(byteCount)
      let record: Record? = try await shared.first(query)
      return try await workers.runUnlessCancelled(flow: flow) { try makeOfRow { record } }
    }
  }

  /// The first page of a list. A file's is read at once.
  @inline(__always)
  func firstPage<List: RowList>(
    of list: List, flow: @autoclosure () -> Flow
  ) async throws -> ListPage<List.Key> {
    let start = ListPosition(startOf: list)
    switch self {
    case .file(let file): return try file.read { try ListPage.read(list, after: start, from: $0, isOnLoop: true) }
    case .shared(let shared): return try await ListPage.read(list, after: start, from: shared, flow: flow())
    }
  }

  /// The version of a long list, which counts its rows; nil if that gives no row.
  func version<List: RowList>(
    of list: List, by workers: WorkerPool, flow: Flow
  ) async throws -> ListVersion? {
    let query = list.version
    switch self {
    case .file(let file):
      return try await workers.runUnlessCancelled(flow: flow) {
        try file.read { try $0.first(query) { ListVersion($0) } }
      }
    case .shared(let shared):
      return try await shared.read(query, flow: flow) { $0.first.map { ListVersion($0) } }
    }
  }

  /// The next page of a long list, in turns by client: a file's by a thread of `workers`.
  ///
  /// - Parameter memory: reserves the page before it is read. To be kept until the page is counted elsewhere: it may wait
  ///   in a queue until then.
  func page<List: RowList>(
    of list: List, after start: ListPosition<List.Key>, within memory: MemoryReservation, by workers: WorkerPool,
    flow: Flow
  ) async throws -> ListPage<List.Key> {
    switch self {
    case .file(let file):
      return try await workers.run(within: memory, byteCount: List.maxPageBytes, flow: flow) {
        let page = try file.read { try ListPage.read(list, after: start, from: $0) }
        _ = memory.resize(to: min(page.json.capacity, List.maxPageBytes))
        return page
      }
    case .shared(let shared):
      try memory.require(List.maxPageBytes)
      return try await ListPage.read(list, after: start, from: shared, flow: flow)
    }
  }

  /// Runs `body` in a transaction, and returns once that is on the disk. An error of `body` undoes it.
  ///
  /// `body` may be run again, so it must have no effect but by its transaction.
  ///
  /// - Parameter makesRoom: whether it may use the disk's reserve.
  @discardableResult
  package func write<Result: Sendable>(
    about subject: WriteSubject, makesRoom: Bool = false,
    _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    switch self {
    case .file(let file):
      try await file.write(changing: subject.changedData, flow: subject.flow, makesRoom: makesRoom) { try body($0) }
    case .shared(let shared): try await shared.write(locking: subject.locks, flow: subject.flow, body)
    }
  }

  /// Checks that writes succeed.
  func probe() async throws {
    switch self {
    case .file(let file): try await file.probe()
    // A server that only responds to reads may be a standby, or its disk may be full.
    case .shared(let shared): try await shared.write(locking: []) { _ in }
    }
  }

  /// Finishes the writes that were accepted, then closes the database. Blocks until then.
  func close() {
    switch self {
    case .file(let file): file.close()
    case .shared(let shared): shared.close()
    }
  }
}

extension Connection {
  /// All rows of a query.
  package func all<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) throws -> [Record] {
    try self.query(query) { Record($0) }
  }
}

extension SharedDatabase {
  /// The first row of a query; nil if there is none.
  package func first<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) async throws -> Record? {
    try await read(query).first.map { Record($0) }
  }
}

/// Whose data a write changes. Writes about one account come one after the other, also where several processes write.
/// WriteSubject+PostgreSQL.swift has the locks.
package enum WriteSubject: Sendable {
  case user(Int64)
  /// A user, and the sum of the bytes of all users' photos.
  case userAndStorage(Int64)
  case microblogUser(Int64)
  /// A new account, or what no user is shown. No row is locked.
  case nobody
  /// The data of several users, or of one who is not known. No row is locked.
  case all

  /// What each `ReadCache` must forget.
  var changedData: ChangedData {
    switch self {
    case .user(let id), .userAndStorage(let id): .ofKey(id)
    case .microblogUser, .nobody: .none
    case .all: .all
    }
  }

  /// Writes about different users take turns, and all of them do with those that are about no single user, such as
  /// sign-ups.
  var flow: Flow {
    switch self {
    case .user(let id), .userAndStorage(let id): Flow(kind: 0, client: Int(id))
    case .microblogUser(let id): Flow(kind: 1, client: Int(id))
    case .nobody, .all: Flow(kind: 2)
    }
  }
}

/// A value, and how many bytes of memory it takes.
struct Sized<Value: Sendable>: Sendable {
  let value: Value
  let byteCount: Int
}

extension WorkerPool {
  /// As `runUnlessCancelled`, for work that needs memory, which is reserved before it runs. A refusal for want of memory
  /// does not wait for a thread.
  fileprivate func run<Result: Sendable>(
    within memory: MemoryReservation, byteCount: Int, flow: Flow, _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try memory.requireRoom(for: byteCount)
    return try await runUnlessCancelled(flow: flow) {
      try memory.require(byteCount)
      return try work()
    }
  }
}
