import Foundation
import TestSupport
import Testing

/// Processes of `selfie-server-cluster` that keep accounts in PostgreSQL and photos in an object store.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct ClusterServerTests {
  @Test(arguments: TestCluster.stores)
  func `the tutorial's app signs up, in and out, and keeps selfies in between`(store: TestCluster.Store) async throws {
    let cluster = try await TestCluster(on: store)
    let server = try cluster.start()
    let app = try await server.appOfNewUser()
    // More than the pieces in which objects are read.
    let second = try await app.keepSelfies(image: PNG.random(1_680_000))
    try await app.resetPassword(to: "secret34")
    #expect(try await app.loadSelfieData() == [second])
    try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
    await #expect(
      throws: TutorialApp.Alert(status: 401, message: "HTTP Token: Access denied.", reason: "invalid_token")
    ) { _ = try await app.loadSelfieData() }
    await server.stop()

    #expect(try await cluster.query("SELECT email FROM users") == ["jane@example.com"])
    #expect(try await cluster.query("SELECT random_id FROM photos") == [second.id])
    // Nothing is kept in the folder of the process.
    #expect(!server.folder.exists("storage/selfie.sqlite3"))
    #expect(try server.folder.files(in: "storage") == ["lock"])
  }

  @Test func `two processes share accounts, tokens and photos, and one finds what a killed one has stored`()
    async throws
  {
    let cluster = try await TestCluster()
    let servers = (try cluster.start(), try cluster.start())
    let one = try await servers.0.appOfNewUser()
    let other = try await servers.1.app(token: one.token)
    let image = PNG.random(270_000)
    let selfies = [try await one.postBtnTapped(image: image), try await one.postBtnTapped()]
    let list = try await other.loadSelfieData()
    #expect(list.map(\.id) == selfies.map(\.id))
    #expect(try await other.download(try #require(list.first).url).body == image)
    try await other.deleteSelfie(selfies[1].id)
    #expect(try await one.loadSelfieData() == [selfies[0]])
    #expect(try await one.download(selfies[1].url).status == 404)
    await servers.0.kill()

    let third = try cluster.start()
    let again = try await third.app()
    try await again.makeSignInRequest()
    let found = try #require(try await again.loadSelfieData().first)
    #expect(found.id == selfies[0].id)
    #expect(try await again.download(found.url).body == image)
    again.token = one.token
    try await other.clearLoggedinFlagInUserDefaultsAndSignOut()
    await #expect(throws: TutorialApp.Alert.self) { _ = try await again.loadSelfieData() }
  }

  @Test(.enabled(if: TestCluster.stores.contains(.swift), "needs an object store that knows presigned URLs"))
  func `downloads are redirected to the object store, which has the bytes`() async throws {
    let cluster = try await TestCluster(on: .swift)
    let server = try cluster.start(["serve"], ["S3_REDIRECT": "on"])
    let app = try await server.appOfNewUser()
    let image = PNG.random(270_000)
    let selfie = try await app.postBtnTapped(image: image)
    let response = try await app.download(selfie.url)
    #expect(response.status == 302)
    let location = try #require(response["location"])
    #expect(location.hasPrefix("\(cluster.store.endpoint)/\(cluster.store.bucket)/photos/"))
    // The app follows.
    let followed = try await app.download(location)
    #expect(followed.status == 200 && followed.body == image && followed["content-type"] == "image/png")
  }

  @Test func `the metrics tell of both, and of no files`() async throws {
    let cluster = try await TestCluster()
    let server = try cluster.start(["serve"], ["METRICS": "127.0.0.1:0"])
    let app = try await server.appOfNewUser()
    try await app.postBtnTapped()
    let puts = ("selfie_object_store_request_duration_seconds_count", ["http_request_method": "PUT"])
    // One of the check at the start, and the photo.
    let metrics = try await server.metrics { $0[puts.0, puts.1] == 2 }
    #expect(try #require(metrics["selfie_database_connections", ["state": "ready"]]) >= 1)
    #expect(metrics["selfie_database_requests", ["state": "waiting"]] == 0)
    #expect(metrics["selfie_database_failed_connections_total"] == 0)
    #expect(metrics["selfie_database_unknown_commits_total"] == 0)
    #expect(metrics["selfie_object_store_failures_total", ["http_request_method": "PUT"]] == 0)
    // The store may have closed a connection that was kept, which is why a request is sent again.
    #expect(metrics["selfie_object_store_retries_total"] != nil)
    #expect(metrics["selfie_pool_waiting_jobs", ["pool": "object-store"]] == 0)
    #expect(metrics["selfie_commit_duration_seconds_count"] == nil)
    #expect(metrics["selfie_database_bytes"] == nil)
  }
}
