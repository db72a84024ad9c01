import Foundation
import FoundationNetworking
import Glibc
import TestSupport
import Testing

/// Processes of `selfie-server-cluster` that keep accounts in PostgreSQL and photos in an object store.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct ClusterServerTests {
  private static let email = "jane@example.com"
  private static let password = "secret12"

  @Test(arguments: TestCluster.stores)
  func `the tutorial's app signs up, in and out, and keeps selfies in between`(store: TestCluster.Store) async throws {
    let cluster = try await TestCluster(on: store)
    let server = try cluster.start()
    let app = try await cluster.appOfNewUser(of: server)
    #expect(try await app.loadSelfieData().isEmpty)

    // More than the pieces in which objects are read.
    let image = PNG.random(width: 800, height: 700)
    #expect(image.count > 1_500_000)
    let selfie = try await app.postBtnTapped(image: image, title: "Me & my \"dog\" 🐶")
    let second = try await app.postBtnTapped(image: PNG.random(width: 2, height: 2), title: "")
    #expect(try await app.loadSelfieData() == [selfie, second])
    let download = try await app.helper.download(selfie.url)
    #expect(download.status == 200 && download.data == image)
    #expect(download.headers["content-type"] == "image/png")
    #expect(download.headers["content-length"] == "\(image.count)")

    try await app.deleteSelfie(selfie.id)
    #expect(try await app.loadSelfieData() == [second])
    #expect(try await app.helper.download(selfie.url).status == 404)
    #expect(try await app.helper.download(second.url).status == 200)
    try await app.resetPassword(from: Self.password, to: "secret34")
    #expect(try await app.loadSelfieData() == [second])
    try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
    await #expect(
      throws: TutorialApp.Alert(status: 401, message: "HTTP Token: Access denied.", reason: "invalid_token")
    ) { _ = try await app.loadSelfieData() }
    await server.stop()

    #expect(try await cluster.query("SELECT email FROM users") == [Self.email])
    #expect(try await cluster.query("SELECT random_id FROM photos") == [second.id])
    // Nothing is kept in the folder of the process.
    #expect(!server.folder.exists("storage/selfie.sqlite3"))
    #expect(try server.folder.files(in: "storage") == ["lock"])
  }

  @Test func `two processes share accounts, tokens and photos`() async throws {
    let cluster = try await TestCluster()
    let servers = (try cluster.start(), try cluster.start())
    let (one, other) = (try await cluster.appOfNewUser(of: servers.0), try await cluster.app(of: servers.1))
    other.helper.keychain["Auth_Token"] = one.helper.keychain["Auth_Token"]
    let image = PNG.random(width: 300, height: 300)
    let selfie = try await one.postBtnTapped(image: image, title: "one")
    let list = try await other.loadSelfieData()
    #expect(list.map(\.id) == [selfie.id])
    #expect(try await other.helper.download(try #require(list.first).url).data == image)

    try await other.deleteSelfie(selfie.id)
    #expect(try await one.loadSelfieData().isEmpty)
    #expect(try await one.helper.download(selfie.url).status == 404)
    try await other.clearLoggedinFlagInUserDefaultsAndSignOut()
    await #expect(throws: TutorialApp.Alert.self) { _ = try await one.loadSelfieData() }
    await servers.0.stop()
    await servers.1.stop()
  }

  @Test func `a process with an empty folder finds everything that another one has stored`() async throws {
    let cluster = try await TestCluster()
    let first = try cluster.start()
    let app = try await cluster.appOfNewUser(of: first)
    let image = PNG.random(width: 300, height: 300)
    let selfie = try await app.postBtnTapped(image: image, title: "one")
    first.signal(SIGKILL)
    #expect(await first.status() == -SIGKILL)

    let second = try cluster.start()
    let again = try await cluster.app(of: second)
    try await again.makeSignInRequest(email: Self.email, password: Self.password)
    let found = try #require(try await again.loadSelfieData().first)
    #expect(found.id == selfie.id)
    #expect(try await again.helper.download(found.url).data == image)
    await second.stop()
  }

  @Test(.enabled(if: TestCluster.stores.contains(.swift), "needs an object store that knows presigned URLs"))
  func `downloads are redirected to the object store, which has the bytes`() async throws {
    let cluster = try await TestCluster(on: .swift)
    let server = try cluster.start(["S3_REDIRECT": "on"])
    let app = try await cluster.appOfNewUser(of: server)
    let image = PNG.random(width: 300, height: 300)
    let selfie = try await app.postBtnTapped(image: image, title: "one")
    // As the app does, which follows.
    let followed = try await app.helper.download(selfie.url)
    #expect(followed.status == 200 && followed.data == image)
    #expect(followed.headers["content-type"] == "image/png")

    let head = "/photos/\(selfie.id) HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=100-199\r\n\r\n"
    let client = try await RawClient.connect(to: server.port())
    try await client.send("GET \(head)")
    let response = try await client.response()
    #expect(response.status == 302 && response.body.isEmpty)
    #expect(response["cache-control"] == "no-store")
    let location = try #require(response["location"])
    let target = "/\(cluster.store.bucket)/photos/\(selfie.id)?X-Amz-Algorithm=AWS4-HMAC-SHA256&"
    #expect(location.hasPrefix(cluster.store.endpoint + target))
    // The address is for GET only.
    try await client.send("HEAD \(head)")
    let ofHead = try await client.response(hasBody: false)
    #expect(ofHead.status == 200 && ofHead["content-length"] == "\(image.count)")
    client.close()

    var part = URLRequest(url: try #require(URL(string: location)))
    part.setValue("bytes=100-199", forHTTPHeaderField: "Range")
    let (data, ofStore) = try await Loader().load(part)
    #expect(ofStore.statusCode == 206 && data == image[100..<200])
    await server.stop()
  }

  @Test func `the metrics tell of both, and of no files`() async throws {
    let cluster = try await TestCluster()
    let server = try cluster.start(["METRICS": "127.0.0.1:0"])
    let app = try await cluster.appOfNewUser(of: server)
    _ = try await app.postBtnTapped(image: PNG.random(width: 30, height: 30), title: "one")
    let puts = ("selfie_object_store_request_duration_seconds_count", ["http_request_method": "PUT"])
    // One of the check at the start, and the photo.
    let metrics = try await server.metrics { $0[puts.0, puts.1] == 2 }
    #expect(try #require(metrics["selfie_database_connections", ["state": "ready"]]) >= 1)
    #expect(metrics["selfie_database_requests", ["state": "waiting"]] == 0)
    #expect(metrics["selfie_database_failed_connections_total"] == 0)
    #expect(metrics["selfie_database_unknown_commits_total"] == 0)
    #expect(metrics["selfie_object_store_failures_total", ["http_request_method": "PUT"]] == 0)
    #expect(metrics["selfie_object_store_retries_total"] == 0)
    #expect(metrics["selfie_pool_waiting_jobs", ["pool": "object-store"]] == 0)
    #expect(metrics["selfie_commit_duration_seconds_count"] == nil)
    #expect(metrics["selfie_database_bytes"] == nil)
    await server.stop()
  }
}
