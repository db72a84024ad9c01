import HTTPMessages

// The responses of the control interface to what it has done. Refusals.swift has the others.
extension Response {
  /// JSON of the control interface.
  ///
  /// - Parameter writesNull: whether a member that is nil becomes null; otherwise it is left out.
  static func json(_ document: some Encodable, _ status: Status = .ok, writesNull: Bool = false) -> Response {
    let fields = ResponseFields(lines: "Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n")
    // Documents have no values that cannot be encoded.
    let bytes = (try? JSONWriter.encode(document, writesNull: writesNull)) ?? []
    return Response(status: status, fields: fields, body: .bytes(bytes))
  }
}
