/// What a worker pool does and has done.
package struct PoolStatistics: Sendable {
  /// Jobs that no thread has taken yet.
  package let waiting: Int
  /// Threads at work.
  package let busy: Int
  /// Jobs that were refused since the start, because too many waited.
  package let refused: Int
}
