import HTTPMessages
import Testing

@testable import SelfieAPI

/// From a path to its resource, beyond what `path-forms.http` has.
@Suite struct RoutesTests {
  private static let photo = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO"

  @Test(arguments: [
    ("/photos/\(photo)", photo), ("/photos/\(photo)/", photo), ("//photos//x.png", "x.png"), ("/photos/a.b.c", "a.b.c"),
  ])
  func `a photo's path has its id`(_ path: String, _ id: String) {
    #expect(found(path).map { "\($0.resource.pattern)" } == "/photos/:id")
    #expect(found(path)?.id?.elementsEqual(id.utf8) == true)
  }

  private func found(_ path: String) -> RouteTarget? {
    RequestPath(Array(path.utf8)[...]).flatMap { path in
      RouteTable.all.lazy.compactMap { $0.find(path) }.first
    }
  }

  @Test(arguments: [
    "", "*", "/api", "/api/", "/api/Signin", "/API/signin", "/api/signin.", "/api/signin.a.b", "/api/.json",
    "/api/sign%69n", "/api/signin/x", "/ap/isignin", "/apis/ignin", "/a/b/c/d/e", "/home/index.htm", "/api/signout",
    "/photos", "/photos/", "/photos/a/b", "/upp", "/home",
    "/home/other", "/up.json", "/ready", "/readyz/x", "/api/signinn", "/x/signin",
  ])
  func `other paths lead nowhere`(_ path: String) {
    #expect(found(path) == nil)
  }
}
