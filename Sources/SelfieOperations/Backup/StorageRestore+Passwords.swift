import SQLite
import SelfieAPI

// Looks for passwords that no sign-in can use in what was restored.
extension StorageRestore {
  /// A sentence for each user of a restored storage whose password no sign-in can use.
  package static func passwordProblems(in storage: String) throws -> [String] {
    let connection = try Connection(path: StorageLayout(folder: storage).database, mode: .readOnly)
    defer { connection.close() }
    var problems: [String] = []
    try connection.forEachPage({ UserStore.page(after: $0) }, id: \.id) { (page: [User]) in
      problems += page.compactMap(\.passwordProblem)
    }
    return problems
  }
}
