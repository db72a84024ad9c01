import SelfieAPI
import Testing

@Suite struct `What Sources state once` {
  @Test func `the names of the storage's files`() {
    let names = [
      StorageLayout.database, StorageLayout.credentials, StorageLayout.photos, StorageLayout.incoming,
      StorageLayout.lostAndFound, StorageLayout.restoring, StorageLayout.databaseCopy,
    ]
    for source in SwiftSource.all where source.path != "SelfieAPI/Photos/StorageLayout.swift" {
      for literal in source.literals {
        // Members of JSON have such names too, and words in sentences.
        let isPath = literal.contains("/") || literal.contains(".sqlite3") || literal.contains(".env")
        let isAddress = literal.hasPrefix("/") || literal.contains("://")
        guard isPath && !isAddress else { continue }
        let words = literal.split { !$0.isLetter && !$0.isNumber && !".+_".contains($0) }.map(String.init)
        #expect(names.filter(words.contains) == [], "\(source.path): \(literal)")
      }
    }
  }

  @Test(arguments: [("86_400", "tokenLifetime"), ("67_108_864", "PhotoBytes"), ("12", "passwordCost")])
  func `the defaults of the API's settings`(value: String, name: String) throws {
    let stated = SwiftSource.all.filter { source in
      source.code.split(separator: "\n").contains { line in
        line.contains(name) && line.split { !$0.isNumber && $0 != "_" }.contains(value[...])
      }
    }
    #expect(stated.map(\.path) == ["SelfieAPI/Application/APISettings.swift"])
  }
}
