// Moves a value into a range. The limits themselves are with what they limit, such as `Limits` in HTTPServer.
extension Comparable {
  /// The nearest value in a range.
  package func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
