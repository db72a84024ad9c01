// The types that tests name, exported one by one so that no other name of these modules clashes with an app's own.
@_exported import SelfieTestDocuments
@_exported import enum SelfieAPI.GetTokenPolicy
@_exported import struct SelfieTestControl.ControlError
@_exported import class SelfieTestControl.Snapshots
@_exported import struct SelfieTestControl.FaultRule
@_exported import class SelfieTestControl.FaultRules
@_exported import class SelfieTestControl.Journal
@_exported import class SelfieTestControl.WorldClock
