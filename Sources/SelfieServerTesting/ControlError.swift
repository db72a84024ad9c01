/// Why a request to the control interface cannot be done, or why there is no server: what is wrong, and what would be
/// right. The server's side of it is `ControlError` in SelfieTestControl.
public struct ControlError: Error, CustomStringConvertible {
  /// Nil if there was no response.
  public let status: Int?
  public let message: String

  public var description: String { message }
}
