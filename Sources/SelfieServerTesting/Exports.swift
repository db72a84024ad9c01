// The types that tests name, one by one: no other name of these modules stands in the way of an app's own.
@_exported import enum SelfieAPI.GetTokenPolicy
@_exported import struct SelfieAPI.Seed
@_exported import struct SelfieAPI.Seeded
@_exported import struct SelfieAPI.StateDocument
@_exported import struct SelfieAPI.StateError
@_exported import struct SelfieControl.ExchangeFilter
@_exported import struct SelfieControl.ExchangeMismatch
@_exported import struct SelfieControl.FaultRule
@_exported import struct SelfieControl.FaultRuleError
