import Foundation
import Glibc
import TestSupport
import Testing
import Torture

/// What a process of a cluster does when what it needs is away, or when it is to stop.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct ClusterFaultTests {
  /// A process that reaches the object store by a proxy, and an app that has signed in.
  private func start() async throws -> (TestCluster, FaultyProxy, ServerProcess, TutorialApp) {
    let cluster = try await TestCluster()
    let proxy = try FaultyProxy(target: .port(cluster.store.port), seed: 1)
    let server = try cluster.start(["serve"], ["S3_ENDPOINT": "http://127.0.0.1:\(proxy.port)"])
    return (cluster, proxy, server, try await server.appOfNewUser())
  }

  // MARK: - The object store

  @Test(arguments: [true, false])
  func `photos are refused while the object store, or its bucket, is away, and nothing half is left of them`(
    isStoreAway: Bool
  ) async throws {
    let (cluster, proxy, server, app) = try await start()
    let image = PNG.random(270_000)
    let selfie = try await app.postBtnTapped(image: image)
    let readiness = "\(try await server.origin())/readyz"

    if isStoreAway { proxy.setTarget(nil) } else { proxy.mode = .respond(FaultyProxy.noSuchBucket) }
    proxy.cut()
    let notReady = try await app.download(readiness)
    #expect(notReady.status == 503 && notReady["x-error"] == "not_ready")
    #expect(notReady["retry-after"] == "1")
    let download = try await app.download(selfie.url)
    #expect(download.status == 503 && download["x-error"] == "storage_away")
    #expect(download["retry-after"] == "5")
    let refusal = await #expect(throws: TutorialApp.Alert.self) { try await app.postBtnTapped(image: image) }
    #expect(refusal?.status == 503 && refusal?.reason == "storage_away")
    // The database has these.
    #expect(try await app.loadSelfieData() == [selfie])

    proxy.setTarget(.port(cluster.store.port))
    proxy.mode = .pass
    #expect(try await app.download(selfie.url).body == image)
    let second = try await app.postBtnTapped(image: image, title: "two")
    #expect(try await app.loadSelfieData() == [selfie, second])
    // A result is good for a second, however many ask.
    try await waitUntil { try await app.download(readiness).status == 200 }
    await server.stop()
    #expect(try await cluster.query("SELECT random_id FROM photos ORDER BY id") == [selfie.id, second.id])
    #expect(try server.folder.files(in: "storage") == ["lock"])
    // What was sent to a store that did not respond may arrive there later. The next sweep finds it by its note.
    let unstored = "SELECT 1 FROM uploads WHERE random_id NOT IN (SELECT random_id FROM photos)"
    if isStoreAway { #expect(try await cluster.query(unstored) == ["1"]) }
  }

  @Test func `SIGTERM lets a photo finish that is on its way to the object store`() async throws {
    let (cluster, proxy, server, app) = try await start()
    let image = PNG.random(270_000)
    proxy.mode = .hold
    async let upload = app.postBtnTapped(image: image, title: "late")
    try await waitUntil { try await cluster.query("SELECT 1 FROM uploads") == ["1"] }
    server.signal(SIGTERM)
    try await server.logged("stopping")
    proxy.mode = .pass
    let selfie = try await upload
    #expect(await server.status() == 0)

    #expect(try await cluster.query("SELECT random_id FROM photos") == [selfie.id])
    #expect(try await cluster.query("SELECT 1 FROM uploads").isEmpty)
    #expect(try server.folder.files(in: "storage") == ["lock"])
    try await cluster.run(["photo", "export", selfie.id, "copy.png"], in: server.folder)
    #expect(try server.folder.bytes(of: "copy.png") == image)
  }

  // MARK: - The database

  @Test func `a process goes on after a crash of the database, with which it speaks TLS`() async throws {
    let certificate = try TestCertificate()
    let server = try await Blocking.run { try PostgreSQLServer(certificate: certificate) }
    let cluster = try await TestCluster(of: server)
    let isEncrypted = """
      SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """
    let process = try cluster.start(
      ["serve"], ["DATABASE_URL": server.tlsAddress(of: cluster.database, root: certificate)])
    let app = try await process.appOfNewUser()
    #expect(try await cluster.query(isEncrypted) == ["t"])
    try await Blocking.run { try server.crash() }
    try await waitUntil { (try? await app.loadSelfieData()) != nil }
    try await app.makeSignInRequest()
    #expect(try await cluster.query(isEncrypted) == ["t"])
    await process.stop()
  }
}

extension FaultyProxy {
  /// What S3 responds about a bucket that it does not have.
  static let noSuchBucket = """
    HTTP/1.1 404 Not Found\r
    Connection: close\r
    \r
    <Error><Code>NoSuchBucket</Code></Error>
    """
}
