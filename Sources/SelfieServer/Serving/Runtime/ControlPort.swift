import HTTPMessages
import HTTPServer
import Platform
import SelfieAPI
import SelfieTestControl

extension Server {
  /// The port of the control interface alone, which speaks plain HTTP: at CONTROL_ADDRESS or, of a server that keeps nothing,
  /// for programs on this machine. Tests that let the app's port refuse connections, or show a wrong certificate, can still
  /// use it. `ConnectionFaults` has these faults.
  ///
  /// It has the photos as well: the addresses of photos that a seed's response names may begin with it.
  ///
  /// - Parameters:
  ///   - port: that of the app.
  ///   - backend: responds to the requests.
  /// - Returns: nil without CONTROL_ADDRESS for a server that keeps data, and for one that listens on another machine's side
  ///   only.
  static func controlPort(
    _ settings: Settings, port: Int, memory: MemoryBudget, backend: Responder
  ) throws -> AuxiliaryServer? {
    let appURL = settings.localURL(port: port)
    guard let authority = appURL.split(separator: "/").last.map(String.init),
      let listener = try controlListener(settings)
    else { return nil }
    let server = try Server(
      listener: listener, loopCount: 1, memory: memory,
      responder: Responder(
        reply: { request in
          guard Worlds.isForControl(request) || RouteTable.photos.contains(request) else {
            let message = "This port is for /__admin/ only. The app's address is \(appURL)."
            return .now(backend.refuse(.notFound, message, RefusedRequest(request)))
          }
          return backend.reply(request.asked(of: authority))
        },
        refuse: backend.refuse, endOfTurn: backend.endOfTurn, responseSent: backend.responseSent))
    let url = Settings.url("http", host: Settings.localHost(of: listener.host), port: listener.port)
    return AuxiliaryServer(server: server, url: url)
  }

  private static func controlListener(_ settings: Settings) throws -> Listener? {
    if let address = settings.controlAddress {
      return try Listener(host: address.host, port: address.port, of: "CONTROL_ADDRESS")
    }
    guard settings.isEphemeral, settings.listensEverywhere || settings.host.isLoopbackHost else { return nil }
    return try Listener(host: "127.0.0.1", port: 0)
  }
}

extension Request {
  /// The request with the Host of the app's port, with which addresses of photos begin. Only one of a program on this
  /// machine is changed: a page of another site must not pass for one.
  fileprivate func asked(of authority: String) -> Request {
    guard isLocal else { return self }
    let fields = head.fields.pairs.map { name, value in
      (name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }
    let changed = Request(
      String(decoding: head.methodName, as: UTF8.self), String(decoding: head.target, as: UTF8.self),
      fields: fields.filter { $0.name.lowercased() != "host" } + [(name: "Host", value: authority)],
      version: head.version)
    return Request(head: changed.head, body: body, peer: peer, context: context)
  }
}
