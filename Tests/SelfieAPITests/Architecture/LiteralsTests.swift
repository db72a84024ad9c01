import SelfieAPI
import Testing

@Suite struct `What Sources state once` {
  @Test func `the names of the storage's files`() {
    let names = [StorageLayout.database, StorageLayout.credentials, StorageLayout.databaseCopy]
    for source in SwiftSource.all where source.path != "SelfieAPI/Photos/StorageLayout.swift" {
      for literal in source.literals {
        #expect(!names.contains { literal.contains($0) }, "\(source.path): \(literal)")
        // The words alone are members of JSON, and with a slash before them addresses.
        let folders = /(^|\$\/)(photos|incoming|lost\+found|restoring|state|lock)\//
        #expect(!(literal + "/").contains(folders) || !literal.contains("/"), "\(source.path): \(literal)")
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
