import Foundation
public import SelfieTestDocuments

// The documents that tests name, so that a test imports nothing else. SelfieTestDocuments declares them, `Seed` in
// Seed.swift for example.
public typealias Seed = SelfieTestDocuments.Seed
public typealias StateCounts = SelfieTestDocuments.StateCounts
public typealias Snapshot = SelfieTestDocuments.Snapshot
public typealias TestDuration = SelfieTestDocuments.TestDuration
public typealias FaultRule = SelfieTestDocuments.FaultRule
public typealias ConnectionFault = SelfieTestDocuments.ConnectionFault
public typealias ListedFault = SelfieTestDocuments.ListedFault
public typealias Exchange = SelfieTestDocuments.Exchange
public typealias ExchangeFilter = SelfieTestDocuments.ExchangeFilter
public typealias ExchangeMismatch = SelfieTestDocuments.ExchangeMismatch
public typealias RequestCondition = SelfieTestDocuments.RequestCondition
public typealias ValueCondition = SelfieTestDocuments.ValueCondition
public typealias FaultResponse = SelfieTestDocuments.FaultResponse
public typealias JSONValue = SelfieTestDocuments.JSONValue

extension FaultRule {
  /// Responds with this status and this JSON. The request has no effect.
  public static func status(_ code: Int, json: String, fields: [String: String] = [:]) throws -> FaultRule {
    .status(code, body: try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)), fields: fields)
  }
}
