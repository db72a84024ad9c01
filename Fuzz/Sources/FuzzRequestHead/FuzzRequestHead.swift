import HTTPMessages

@testable import HTTPServer

/// A head that arrives in two pieces is found or refused as if it had arrived in one. An accepted head has all its
/// ranges inside, and the framing of its body is decided.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  var whole = HeadScanner()
  let outcome = scan(bytes, with: &whole)

  var pieces = HeadScanner()
  let cut = count == 0 ? 0 : Int(bytes[0]) % (count + 1)
  if scan(UnsafeBufferPointer(rebasing: bytes[..<cut]), with: &pieces) == .incomplete {
    precondition(scan(bytes, with: &pieces) == outcome, "the same head in two pieces")
  }

  guard case .head(let length) = outcome,
    let head = try? RequestHead.parse(Array(bytes[..<length]))
  else { return 0 }
  precondition(!head.target.isEmpty && head.path.count <= head.target.count)
  _ = head.query?.count
  _ = head.host?.count
  for name in [FieldName.host, .connection, .contentLength, .expect] {
    precondition(head.fields.all(name).count == head.fields.count(of: name))
  }
  _ = try? head.bodyLength()
  _ = try? RequestState.expectsContinue(head)
  return 0
}

private enum Outcome: Equatable {
  case refused, incomplete
  case head(length: Int)
}

private func scan(_ bytes: UnsafeBufferPointer<UInt8>, with scanner: inout HeadScanner) -> Outcome {
  do {
    guard let length = try scanner.scan(bytes.span, limits: Limits()) else { return .incomplete }
    return .head(length: length)
  } catch {
    return .refused
  }
}
