import SelfieAPI
import Testing

@testable import SelfieOperations

/// What scripts and the owner's page read: the names of members, their order, and which are left out.
@Suite struct OwnerReplyTests {
  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try OwnerReply(of: value).json, as: UTF8.self)
  }

  private let attention = Attention(.error, .requests, "The server has failed.", at: "now")
  private let attentionJSON =
    #"{"severity":"error","subject":"requests","message":"The server has failed.","time":"now""#

  private func status(isRunning: Bool) -> StatusView {
    let number: Int64? = isRunning ? 1 : nil
    return StatusView(
      version: "1.0", isRunning: isRunning, startedAt: isRunning ? "then" : nil, uptime: number, users: number,
      disabledUsers: number, photos: number, bytes: number, databaseBytes: number, freeBytes: number,
      diskBytes: number, lastBackup: isRunning ? "then" : nil, backupError: isRunning ? "No room." : nil,
      otherBackups: isRunning
        ? [
          BackupPlace.Others(line: "0123", count: 2, newest: "a", bytes: 3),
          BackupPlace.Others(line: nil, count: 4, newest: "b.tar", bytes: 5),
        ] : [],
      refusedSignIns: number, attention: isRunning ? [attention] : [])
  }

  private static let stopped = #"""
    {"version":"1.0","running":false,"started_at":null,"uptime":null,"users":null,"disabled_users":null,"photos":null,\#
    "bytes":null,"database_bytes":null,"free_bytes":null,"disk_bytes":null,"last_backup":null,"backup_error":null,\#
    "other_backups":[],"refused_sign_ins":null,"attention":[]}
    """#

  @Test func `a status has each of its members, as null if it is not known`() throws {
    #expect(try json(status(isRunning: false)) == Self.stopped)
    let command = try #require(attention.command)
    #expect(
      try json(status(isRunning: true)) == #"""
        {"version":"1.0","running":true,"started_at":"then","uptime":1,"users":1,"disabled_users":1,"photos":1,\#
        "bytes":1,"database_bytes":1,"free_bytes":1,"disk_bytes":1,"last_backup":"then","backup_error":"No room.",\#
        "other_backups":[{"line":"0123","count":2,"newest":"a","bytes":3},{"count":4,"newest":"b.tar","bytes":5}],\#
        "refused_sign_ins":1,"attention":[\#(attentionJSON),"command":"\#(command)"}]}
        """#)
  }

  @Test func `what needs attention has only the members that are known`() throws {
    var lost = Attention(.error, .photo, "It is lost.", since: 0)
    lost.photo = "abc"
    #expect(
      try json(lost) == #"""
        {"severity":"error","subject":"photo","message":"It is lost.","since":"1970-01-01T00:00:00.000Z","photo":"abc"}
        """#)
  }

  @Test func `the activity has the status and the last backup`() throws {
    let view = ActivityView(
      backup: LastBackupView(LastBackup(time: 0)), status: status(isRunning: false), command: "selfie-server",
      start: "bin/serve")
    #expect(
      try json(view) == #"""
        {"backup":{"time":"1970-01-01T00:00:00.000Z","bytes":null,"verified":false,"failed":false},"status":\#(Self.stopped),\#
        "command":"selfie-server","start":"bin/serve"}
        """#)
    let none = ActivityView(backup: nil, status: status(isRunning: false), command: "", start: "")
    #expect(try json(none).hasPrefix(#"{"backup":null,"status":{"#))
  }

  @Test func `a finding is an issue, or a message alone`() throws {
    let issue = StorageIssue(kind: .permissions, subject: "photos", message: "Others may read it.", isRepaired: false)
    let findings = [CheckEvent.issue(issue), .remark("r"), .failure("It cannot be read.")].compactMap(FindingView.init)
    #expect(
      try json(findings) == #"""
        [{"kind":"permissions","subject":"photos","message":"Others may read it.","repaired":false},\#
        {"message":"It cannot be read."}]
        """#)
  }

  @Test func `a setting that has its default has no source`() throws {
    let settings = ["a file", nil].map { ShownSetting(subject: "Addresses", name: "PORT", value: "3000", source: $0) }
    #expect(
      try json(settings) == #"""
        [{"subject":"Addresses","name":"PORT","value":"3000","source":"a file"},\#
        {"subject":"Addresses","name":"PORT","value":"3000"}]
        """#)
  }

  @Test func `the replies to changes, links and constants`() throws {
    #expect(try json(EndedTokensView(email: "a@b.c", tokens: 2)) == #"{"email":"a@b.c","tokens":2}"#)
    #expect(try json(UserAccess(email: "a@b.c", disabledAt: nil)) == #"{"email":"a@b.c","disabled_at":null}"#)
    #expect(try json(PageLink(url: "u", seconds: 300)) == #"{"url":"u","seconds":300}"#)
    #expect(try json(EndedSessions(sessions: 1)) == #"{"sessions":1}"#)
    #expect(try json([SimilarEmailsView(message: "m")]) == #"[{"message":"m"}]"#)
    #expect(
      try json(AppConstants(authName: "n", authPassword: "p", publicURL: nil, clientURL: "u"))
        == #"{"api_auth_name":"n","api_auth_password":"p","public_url":null,"client_url":"u"}"#)
  }

  @Test func `a backup is made, or another one is in progress`() throws {
    let waiting = try OwnerReply(of: BackupReply.inProgress(folder: "backups/a"))
    #expect(String(decoding: waiting.json, as: UTF8.self) == #"{"in_progress":"backups/a"}"#)
    guard case .inProgress("backups/a") = try waiting.value(BackupReply.self) else {
      Issue.record("It is read as something else.")
      return
    }
    #expect(try json(NotedBackup(time: "then")) == #"{"time":"then"}"#)
  }

  @Test func `what was written is what is read`() throws {
    for isRunning in [true, false] {
      let status = status(isRunning: isRunning)
      #expect(try OwnerReply(of: status).value() == status)
      let activity = ActivityView(backup: nil, status: status, command: "c", start: "s")
      #expect(try OwnerReply(of: activity).value() == activity)
    }
  }
}
