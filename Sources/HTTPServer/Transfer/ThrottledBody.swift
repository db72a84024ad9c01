import HTTPMessages

/// The rest of a body that is sent slowly, in pieces.
///
/// A class, so that a request without one carries no more than a pointer.
final class ThrottledBody {
  /// Milliseconds after each piece but the last.
  let pause: Int64
  private let piece: Int64
  private let body: Response.Body
  private let length: Int64
  private var taken: Int64 = 0

  init(_ body: Response.Body, piece: Int64, pause: Int64) {
    self.body = body
    length = body.length ?? 0
    self.piece = max(1, piece)
    self.pause = max(0, pause)
  }

  /// Whether all of it has been taken.
  var isEmpty: Bool { taken >= length }

  /// Takes the next piece, or everything.
  func take(all: Bool) -> Response.Body {
    let left = length - taken
    let count = all ? left : min(piece, left)
    defer { taken += count }
    return body.part(from: taken, count: count)
  }
}
