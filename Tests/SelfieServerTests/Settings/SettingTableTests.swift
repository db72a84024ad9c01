import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import SelfieServer

@Suite struct SettingTableTests {
  @Test func `every setting has a name of its own`() {
    #expect(Set(SettingTable.names).count == SettingTable.names.count)
  }

  @Test func `the configuration file and the documentation are made from the table`() throws {
    let file = try String(contentsOfFile: "\(checkout)/Config/server.env", encoding: .utf8)
    #expect(file == SettingTable.environmentFile, "Run bin/selfie-server settings --default > Config/server.env")
    let page = try String(contentsOfFile: "\(checkout)/Docs/Settings.md", encoding: .utf8)
    #expect(page.contains(SettingTable.markdown), "Paste what bin/selfie-server settings --markdown prints")
  }

  @Test func `the default of each setting is one that may be set`() {
    for row in SettingTable.rows {
      for isEphemeral in [false, true] {
        let problem = row.defaultText(isEphemeral: isEphemeral).flatMap(row.problem)
        #expect(problem == nil, "\(row.name)")
      }
    }
  }

  @Test func `what differs from start to start is a flag of serve`() throws {
    let isSwitch = ["EPHEMERAL", "CONTROL"]
    for row in Serve.rows {
      let words = ["serve", row.flag] + (isSwitch.contains(row.name) ? [] : ["a text"])
      let serve = try #require(try SelfieServerCommand.parseAsRoot(words) as? Serve, "\(row.name)")
      #expect(serve.flags.compactMapValues(\.self) == [row.name: isSwitch.contains(row.name) ? "on" : "a text"])
    }
  }
}
