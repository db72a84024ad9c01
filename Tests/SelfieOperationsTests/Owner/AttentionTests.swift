import APITestSupport
import HTTPMessages
import SelfieAPI
import Testing

@testable import SelfieOperations

@Suite struct AttentionTests {
  private func expect(
    _ attention: Attention?, _ severity: Attention.Severity?, _ beginning: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(attention?.severity == severity, sourceLocation: sourceLocation)
    #expect(attention?.message.hasPrefix(beginning) != false, sourceLocation: sourceLocation)
  }

  @Test func `backups that are missing, failed or not made yet`() {
    func of(_ backup: LastBackup?, last: Int64? = nil, now: Int64 = 1) -> Attention? {
      .of(backup, last: last ?? backup?.time, every: 100, start: 0, now: now)
    }
    expect(of(nil), .warning, "No backups are made automatically. Set BACKUP_DIR")
    expect(of(LastBackup()), .warning, "There is no backup yet.")
    let failed = of(LastBackup(time: 1, error: "No room.", failedAt: 0))
    expect(failed, .error, "The last backup failed or lacks data. No room.")
    #expect(failed?.time == "1970-01-01T00:00:00.000Z" && failed?.since == nil)
    for now: Int64 in [1, 201] { expect(of(LastBackup(time: 1), now: now), nil) }
    expect(of(LastBackup(time: 1), now: 60_203), .error, "The last backup is older than two periods of BACKUP_EVERY.")
    // Others were made by hand.
    expect(of(LastBackup(time: 1), last: 2, now: 60_203), nil)
    expect(of(nil, last: 1, now: 201), nil)
    let old = of(nil, last: 1000, now: 61_202)
    expect(old, .warning, "The last backup is old. No backups are made automatically")
    #expect(old?.since == "1970-01-01T00:00:01.000Z")
    #expect(old?.command?.hasSuffix("selfie-server backup selfie-$(date +%F).tar") == true)
  }

  @Test func `a backup from the future`() {
    expect(.ofBackup(notedAt: nil, now: 0), nil)
    expect(.ofBackup(notedAt: 86_400_000, now: 0), nil)
    expect(.ofBackup(notedAt: 86_400_001, now: 0), .warning, "The last backup is from the future, 1970-01-02")
  }

  @Test(arguments: ["http://127.0.0.1:3000", "http://ADDRESS-OF-THIS-MACHINE:3000", "https://selfies.example"])
  func `settings that make it easy for others`(clientURL: String) {
    func names(hasControl: Bool, _ change: (inout APISettings) -> Void = { _ in }) -> [String] {
      var settings = APISettings.defaults
      settings.publicURL = clientURL.hasPrefix("https") ? clientURL : nil
      settings.signup = .closed
      change(&settings)
      return Attention.ofSettings(settings, clientURL: clientURL, hasControl: hasControl, since: 0)
        .compactMap { $0?.message.split(separator: " ").first.map(String.init) }
    }
    let isLocal = clientURL.contains("127.")
    #expect(names(hasControl: false) == [])
    #expect(names(hasControl: true) == (isLocal ? [] : ["CONTROL"]))
    #expect(
      names(hasControl: false) { ($0.limitsFailures, $0.passwordCost) = (false, 9) } == ["RATE_LIMIT", "PASSWORD_COST"])
    #expect(names(hasControl: false) { $0.signup = .open } == (clientURL.hasPrefix("https") ? ["Anyone"] : []))
  }

  @Test func `a disk that is nearly full, and one that will be`() {
    func ofDisk(_ free: Int64, of disk: Int64) -> Attention? {
      .ofDisk(free: free, of: disk, maxPhotoBytes: 50_000_000)
    }
    expect(ofDisk(8_000_000_000, of: 90_000_000_000), nil)
    expect(ofDisk(2_000_000_000, of: 90_000_000_000), .warning, "The disk is nearly full: 2.0 GB of 90.0 GB")
    expect(ofDisk(1_000_000_000, of: 90_000_000_000), .error, "The disk is nearly full: 1.0 GB of 90.0 GB")
    // Of a small disk a fifth is enough, if two photos fit.
    expect(ofDisk(1_000_000_000, of: 2_000_000_000), nil)
    expect(ofDisk(500_000_000, of: 2_000_000_000), .warning)
    expect(ofDisk(345_000_000, of: 382_000_000), nil)
    expect(ofDisk(100_000_000, of: 382_000_000), .error)
  }

  @Test func `a certificate that ends within two weeks`() {
    expect(.ofCertificate(endingAt: 15 * 86_400, now: 0), nil)
    expect(.ofCertificate(endingAt: 3 * 86_400, now: 0), .warning, "The certificate ends in 3 d 0 h, and then apps")
    let expired = Attention.ofCertificate(endingAt: 100, now: 100)
    expect(expired, .error, "The certificate has expired")
    #expect(expired?.since == "1970-01-01T00:01:40.000Z")
    expect(.ofCertificate(endingAt: .min, now: 100), nil)
  }

  @Test func `requests that failed`() throws {
    let (api, log) = (try APIFixture(), RefusalLog(clock: { 1000 }))
    for _ in 0..<2 { log.note(Response(status: .internalServerError), to: Request("GET", "/up"), by: api.application) }
    let attention = Attention.of(log.entries())
    expect(
      attention, .error,
      "The server has failed 2 requests, so apps showed errors. The last one, with the status 500: GET /up")
    #expect(attention?.time == "1970-01-01T00:00:01.000Z" && attention?.command?.hasSuffix(" why") == true)
    expect(.of([] as [RefusalLog.Entry]), nil)
  }
}
