import HTTPMessages
import SelfieAPI

extension OwnerPage {
  /// How often `takeSample` is to be called.
  public static let sampleInterval = Duration.seconds(60)

  /// Notes how much is stored now.
  public func takeSample() async throws {
    let application = interface.application
    let totals = try await StoredTotals.count(of: application)
    activity.add(
      ServerActivity.Sample(
        time: application.clock() / 1000, users: totals.users, photos: totals.photos, bytes: totals.photoBytes,
        refusedSignIns: application.refusedAttempts))
  }

  /// `GET /owner/api/activity`: the requests of the last minute, and the last errors.
  func showActivity() -> Response {
    let times = activity.lastMinute
    let backup = interface.backups?.last
    return .owner(
      JSONWriter.object { json in
        json.key("requests")
        json.object { json in
          json.member("count", times.count)
          json.member("seconds", min(ServerActivity.window, max(1, sessions.secondsOpen)))
          json.member("median_microseconds", times.microseconds(ofPercent: 50))
          json.member("p99_microseconds", times.microseconds(ofPercent: 99))
        }
        json.key("errors")
        json.array { json in
          for error in activity.lastErrors { json.object { $0.members(of: error) } }
        }
        json.key("backup")
        if let backup { json.object { backup.writePublicMembers(to: &$0) } } else { json.null() }
      })
  }

  /// `GET /owner/api/history`: a number a minute for each of the last 24 hours, the oldest first.
  func showHistory() -> Response {
    let samples = activity.samples
    return .owner(
      JSONWriter.object { json in
        func write(_ name: StaticString, _ value: (ServerActivity.Sample) -> Int64) {
          json.key(name)
          json.array { json in for sample in samples { json.integer(value(sample)) } }
        }
        write("times", \.time)
        write("users", \.users)
        write("photos", \.photos)
        write("bytes", \.bytes)
        write("refused_sign_ins", \.refusedSignIns)
      })
  }

  /// `POST /owner/api/doctor`: starts a check of the storage, unless one runs.
  func startCheck() -> Response {
    if checks.start() { interface.application.securityLog.log(ownersCommand: "doctor --quick", [:], numbers: [:]) }
    return showChecks()
  }

  /// `GET /owner/api/doctor`: whether a check runs, and what the last one has found.
  func showChecks() -> Response {
    let (isRunning, last) = (checks.isRunning, checks.last)
    return .owner(
      JSONWriter.object { json in
        json.key("running")
        json.boolean(isRunning)
        json.key("last")
        if let last { json.object { $0.members(of: last) } } else { json.null() }
      })
  }

  /// `GET /owner/api/settings`: the settings in force.
  func showSettings() -> Response {
    .owner(
      JSONWriter.object { json in
        json.key("settings")
        json.array { json in
          for setting in settings {
            json.object { json in
              json.member("name", setting.name)
              json.member("value", setting.value)
              json.member("source", setting.source)
            }
          }
        }
      })
  }
}

extension JSONWriter {
  fileprivate mutating func members(of report: StorageChecks.Report) {
    member("time", time: report.time)
    member("photos", report.photos)
    member("finding_count", report.findingCount)
    for (name, lines) in [("findings" as StaticString, report.findings), ("failures", report.failures)] {
      key(name)
      array { json in for line in lines { json.string(line) } }
    }
  }

  fileprivate mutating func members(of error: ServerActivity.ServerError) {
    member("time", time: error.time)
    member("method", error.method)
    member("path", error.path)
    member("status", Int64(error.status))
    member("request_id", error.requestID)
  }
}
