// The types that a test gives to its server and gets from it; by name, so that no other name of these modules stands in
// the way of the app's own.
@_exported import enum SelfieAPI.GetTokenPolicy
@_exported import struct SelfieControl.FaultRule
@_exported import class SelfieControl.FaultRules
@_exported import struct SelfieControl.FaultRuleError
