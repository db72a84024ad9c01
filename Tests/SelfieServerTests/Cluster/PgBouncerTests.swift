import Foundation
import TestSupport
import Testing

@Suite(
  .enabled(if: !TestCluster.stores.isEmpty && PgBouncer.isInstalled, "\(TestCluster.whatIsNeeded), and PgBouncer"),
  .timeLimit(.minutes(10)))
struct `A cluster behind PgBouncer in transaction mode` {
  @Test func `serves its apps on fewer connections of PostgreSQL than it keeps`() async throws {
    let cluster = try await TestCluster()
    let bouncer = try await Blocking.run { try PgBouncer(before: cluster.server, maxConnections: 3) }
    let address = ["DATABASE_URL": bouncer.address(of: cluster.database)]
    let servers = [try cluster.start(["serve"], address), try cluster.start(["serve"], address)]
    // Each of them prepares its statements on connections that the others use, too.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, server) in servers.enumerated() {
        for user in 0..<4 {
          group.addTask {
            let app = try await server.app()
            let (email, image) = ("\(index)-\(user)@example.com", PNG.random(4_800))
            try await app.makeUser(email)
            let selfies = try await [
              app.postBtnTapped(image: image), app.postBtnTapped(image: image, title: "two"),
            ]
            #expect(try await app.loadSelfieData() == selfies)
            #expect(try await app.download(selfies[0].url).body == image)
            try await app.deleteSelfie(selfies[0].id)
            #expect(try await app.loadSelfieData() == [selfies[1]])
            try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await cluster.query("SELECT count(*) FROM users") == ["8"])
    #expect(try await cluster.query("SELECT count(*) FROM photos") == ["8"])
    let others = try await cluster.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
    #expect((1...3).contains(others.count))
    for server in servers { await server.stop() }
  }
}
