import SelfieAPI
import Testing

@Suite struct `What Sources state once` {
  @Test func `the names of the storage's files`() {
    // The words alone are members of JSON, and with a slash before them addresses.
    let folders = /(^|\$\/)(photos|incoming|lost\+found|restoring|state|lock)\//
    let names = [StorageLayout.database, StorageLayout.credentials, StorageLayout.databaseCopy]
    for source in SwiftSource.all where source.path != "SelfieAPI/Photos/Files/StorageLayout.swift" {
      for literal in source.literals {
        #expect(!names.contains { literal.contains($0) }, "\(source.path): \(literal)")
        guard literal.contains("/") else { continue }
        #expect(!(literal + "/").contains(folders), "\(source.path): \(literal)")
      }
    }
  }

  @Test(arguments: [
    (
      ["86_400", "86400", "24 * 60 * 60"], ["tokenLifetime", "defaultSeconds"], "SelfieAPI/Tokens/TokenLifetime.swift"
    ),
    (
      ["67_108_864", "67108864", "64 * 1024 * 1024", "64 << 20"], ["photoBytes", "PhotoBytes"],
      "SelfieAPI/Requests/RequestLimits.swift"
    ),
    (["= 12"], ["passwordCost"], "SelfieAPI/Application/APISettings.swift"),
  ])
  func `the defaults of the API's settings`(spellings: [String], names: [String], path: String) {
    let stated = SwiftSource.all.filter { source in
      source.code.split(separator: "\n").contains { line in
        names.contains { line.contains($0) } && spellings.contains { line.contains($0) }
      }
    }
    #expect(stated.map(\.path) == [path])
  }
}
