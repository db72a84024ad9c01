import SQLite
import SelfieAPI

// Looks for passwords that no sign-in can use in what was restored.
extension StorageRestore {
  /// A sentence for each user of a restored storage whose password no sign-in can use.
  package static func passwordProblems(in storage: String) throws -> [String] {
    let connection = try Connection(path: StorageLayout(folder: storage).database, mode: .readOnly)
    defer { connection.close() }
    var problems: [String] = []
    var last = Int64.min
    while case let page = try connection.all(UserStore.page(after: last), as: User.self), let newest = page.last {
      guard newest.id > last else { throw DatabaseError.outOfOrder }
      problems += page.compactMap(\.passwordProblem)
      last = newest.id
    }
    return problems
  }
}
