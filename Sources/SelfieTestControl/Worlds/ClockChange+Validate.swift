import SelfieTestDocuments

// Finds the mistakes in a change of the clock. `WorldClock` applies it.
extension ClockChange {
  private static let examples = """
    Say what the clock is to do: {"advance":"25h"}, {"set":"2026-01-01T00:00:00Z"}, \
    {"freeze":"2026-01-01T00:00:00Z"}, {"freeze":true}, {"run":true} or {"reset":true}.
    """

  /// - Parameter place: where the change is, with a colon and a space after it; empty for a whole document.
  func validate(at place: String, _ problems: inout Problems) {
    let freezes = freeze != nil && freeze != .here(false)
    if freezes && run == true {
      problems.add("\(place)A clock cannot be frozen and running: pass freeze or run, not both.")
    }
    if reset != true && run != true && set == nil && advance == nil && !freezes {
      problems.add("\(place)\(Self.examples)")
    }
  }
}
