import Foundation
import HTTPMessages
import Platform
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct `Doctor on the owner's page` {
  /// What the checks print, one after the other, and how many were started.
  private final class Doctor: Sendable {
    let started = Monitor(0)
    private let reports: AsyncStream<String>
    let finish: AsyncStream<String>.Continuation

    init() {
      (reports, finish) = AsyncStream.makeStream()
    }

    func check() async throws -> [UInt8] {
      started.withLock { $0 += 1 }
      for await report in reports { return Array(report.utf8) }
      throw APIError.notFound
    }
  }

  private let doctor = Doctor()
  private let owner: OwnerPageFixture

  init() async throws {
    owner = try OwnerPageFixture(check: doctor.check)
    try await owner.open()
  }

  private func state() async throws -> NSDictionary {
    let bytes = await owner.send("GET", "/owner/api/doctor").body.content ?? []
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
  }

  /// What a check has found that prints `report`.
  private func result(of report: String) async throws -> NSDictionary {
    #expect(await owner.send("POST", "/owner/api/doctor").status == .ok)
    doctor.finish.yield(report)
    try await waitUntil { try await state()["running"] as? Bool == false }
    return try #require(try await state()["last"] as? NSDictionary)
  }

  @Test func `a check runs once at a time, when the owner starts it, and is logged`() async throws {
    #expect(await owner.send("GET", "/owner/api/doctor").text == #"{"running":false,"last":null}"#)
    for _ in 0..<3 {
      #expect(await owner.send("POST", "/owner/api/doctor").text == #"{"running":true,"last":null}"#)
    }
    doctor.finish.yield(#"{"findings":[],"failures":[],"counts":{"photos":2,"findings":0}}"#)
    try await waitUntil { try await state()["running"] as? Bool == false }
    let last = try #require(try await state()["last"] as? NSDictionary)
    #expect(last["photos"] as? Int == 2)
    #expect(last["finding_count"] as? Int == 0)
    #expect(last["findings"] as? [String] == [] && last["failures"] as? [String] == [])
    #expect((last["time"] as? String)?.hasSuffix("Z") == true)
    #expect(doctor.started.withLock { $0 } == 1)
    #expect(owner.api.log.lines.filter { $0.contains("owner's command: doctor --quick") }.count == 1)
  }

  @Test func `what it has found is kept as lines, until the next check`() async throws {
    let found = try await result(
      of: """
        {"findings":[{"kind":"missing_file","subject":"photos/ab/x","message":"<b>the file is missing</b>."}],\
        "failures":["The disk cannot be read."],"counts":{"photos":3,"findings":70}}
        """)
    #expect(found["findings"] as? [String] == ["photos/ab/x: <b>the file is missing</b>."])
    #expect(found["failures"] as? [String] == ["The disk cannot be read."])
    #expect(found["finding_count"] as? Int == 70)
    let next = try await result(of: #"{"findings":[],"failures":[],"counts":{"photos":3,"findings":0}}"#)
    #expect(next["findings"] as? [String] == [])
  }

  @Test(arguments: ["", "{", "[]", #"{"findings":[]}"#])
  func `a check without a report is a failure that the owner sees`(report: String) async throws {
    let last = try await result(of: report)
    #expect((last["failures"] as? [String])?.count == 1)
    doctor.finish.finish()
    let refused = try await result(of: "")
    #expect((refused["failures"] as? [String])?.count == 1)
  }

  @Test func `nobody else starts one`() async throws {
    owner.cookie = nil
    #expect(await owner.send("POST", "/owner/api/doctor").status == .unauthorized)
    #expect(doctor.started.withLock { $0 } == 0)
  }
}
