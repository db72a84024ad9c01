import HTTPMessages
import Platform
import SQL

// The endpoints of the Notes app. NotesAuthentication.swift checks its credentials, and `NoteStore` has the queries.
extension Application {
  /// `GET /notes.json`: the user's notes, oldest first.
  func listNotes(_ call: Call, of user: User) async throws -> Response {
    _ = try await notesParameters(call)
    return try await response(with: NoteList(userID: user.id), to: call, by: user.id)
  }

  /// `GET /notes/:id.json`.
  func showNote(_ call: Call, of user: User) async throws -> Response {
    _ = try await notesParameters(call)
    guard let id = noteID(call) else { throw Self.noteNotFound }
    if let note = try await notes.find(id: id, userID: user.id, maxBytes: ListPageLimits.maxBytes) {
      return .success(note.json, for: call.request)
    }
    guard let byteCount = try await notes.byteCount(id: id, userID: user.id) else { throw Self.noteNotFound }
    // As JSON, a note of 128 KiB may have 800 KB, which takes an event loop too long.
    let memory = MemoryReservation(of: memory)
    defer { withExtendedLifetime(memory) {} }
    let response = try await database.first(
      NoteStore.note(id: id, userID: user.id), within: memory, byteCount: Note.maxMemory(byteCount: byteCount),
      by: lists, flow: call.client.flow(orOf: user.id)
    ) { (note: Note) in
      let json = note.json
      return Sized(value: Response.success(json, for: call.request), byteCount: json.capacity)
    }
    guard let response else { throw Self.noteNotFound }
    return response
  }

  /// `POST /notes.json`: makes a note of `note[title]` and `note[body]`.
  func createNote(_ call: Call, by user: User) async throws -> Response {
    let sent = try await sentNote(call)
    let note = Note(userID: user.id, title: sent.title ?? "", body: sent.body ?? "", createdAt: clock())
    let stored = try await notes.insert(note, by: user)
    var fields = ResponseFields.uncachedJSON
    fields.append("Location", "/notes/\(stored.id).json")
    return Response(status: .created, fields: fields, body: .bytes(JSONWriter.object { stored.write(to: &$0) }))
  }

  /// `PUT /notes/:id.json`: replaces `note[title]` and `note[body]`, where they are sent.
  func updateNote(_ call: Call, by user: User) async throws -> Response {
    let sent = try await sentNote(call)
    guard let id = noteID(call),
      try await notes.update(id: id, by: user, title: sent.title, body: sent.body, now: clock())
    else { throw Self.noteNotFound }
    return Self.noContent
  }

  /// `DELETE /notes/:id.json`.
  func deleteNote(_ call: Call, by user: User) async throws -> Response {
    _ = try await notesParameters(call)
    guard let id = noteID(call), try await notes.remove(id: id, by: user) else { throw Self.noteNotFound }
    return Self.noContent
  }

  /// The texts in the parameter `note`; nil where they were not sent.
  ///
  /// - Throws: 422 unless `note` is an object whose title and body are texts that a note can have.
  private func sentNote(_ call: Call) async throws -> (title: String?, body: String?) {
    let parameters = try await notesParameters(call)
    // Rails' `wrap_parameters`: JSON may have the members without the root.
    let isJSON = try BodyKind(contentType: call.request.head.fields[.contentType]) == .json
    let bare = isJSON ? ["title", "body"].reduce(into: [:]) { $0[$1] = parameters[$1] } : [:]
    guard case .object(let members)? = parameters["note"] ?? (bare.isEmpty ? nil : .object(bare)) else {
      throw APIError(
        .unprocessableContent, "note is missing. Send note[title] and note[body].", reason: .invalidNote,
        detail: call.finding(["note"], in: parameters))
    }
    let (title, body) = (try Note.text("title", of: members), try Note.text("body", of: members))
    if let problem = Note.problem(title: title ?? "", body: body ?? "") {
      throw APIError(.unprocessableContent, problem)
    }
    return (title, body)
  }

  private func noteID(_ call: Call) -> Int64? {
    call.id.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  private static let noContent = Response(
    status: .noContent, fields: ResponseFields(lines: "Cache-Control: no-cache\r\n"))

  private static let noteNotFound = APIError(.notFound, "There is no such note.", reason: .unknownNote)
}

extension Note {
  fileprivate static func text(_ name: String, of members: [String: ParameterValue]) throws -> String? {
    switch members[name] {
    case .string(let text)?: return text
    // AFNetworking sends an empty value for NSNull, and JSON clients null.
    case .null?: return ""
    case .undecodable?: throw APIError.undecodable("note[\(name)]")
    case nil: return nil
    default: throw APIError(.unprocessableContent, "note[\(name)] must be a string.", reason: .invalidNote)
    }
  }
}

/// The response of `GET /notes.json`.
private struct NoteList: RowList {
  let userID: Int64
  let start: Int64 = 0
  static let maxElementBytes = Note.maxMemory(byteCount: Int64(Note.maxBodyBytes))

  func rows(after id: Int64, max: Int64) -> Query { NoteStore.list(of: userID, after: id, max: max) }

  var version: Query { NoteStore.version(of: userID) }

  func byteCount(of row: borrowing some RowReader & ~Copyable) -> Int64 { row["byte_count"] }

  func write(_ row: borrowing some RowReader & ~Copyable, to json: inout JSONWriter) -> Int64 {
    let note = Note(row)
    json.object { note.write(to: &$0) }
    return note.id
  }
}

extension Note {
  /// The most memory that a note takes with its JSON, in which a character may have six bytes.
  fileprivate static func maxMemory(byteCount: Int64) -> Int { Int(clamping: min(byteCount, 1 << 30) * 8) + 4096 }

  fileprivate var json: [UInt8] { JSONWriter.object { write(to: &$0) } }

  /// The members in the order in which Rails wrote them.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("body", body)
    json.member("created_at", time: createdAt)
    json.member("id", id)
    json.member("title", title)
    json.member("updated_at", time: updatedAt)
  }
}
