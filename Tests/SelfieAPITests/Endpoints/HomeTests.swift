import APITestSupport
import HTTPMessages
import Pages
import Testing

@testable import SelfieAPI

/// `GET /` and the files of the page.
@Suite struct HomeTests {
  private func get(_ path: String, accept: String? = nil, tag: String? = nil, from api: APIFixture) async -> Response {
    var fields = [(name: "Host", value: "localhost")]
    if let accept { fields.append((name: "Accept", value: accept)) }
    if let tag { fields.append((name: "If-None-Match", value: tag)) }
    return await api.application.respond(Request("GET", path, fields: fields))
  }

  @Test func `the page is sent once to a browser that keeps it`() async throws {
    let api = try APIFixture()
    let tag = try #require(await api.get("/").fields["ETag"])
    for known in [tag, "W/\(tag)", "\"a\", \(tag)", "*"] {
      let response = await api.get("/", fields: [("If-None-Match", known)])
      #expect(response.status == .notModified)
      #expect(response.content.isEmpty)
      #expect(response.fields["ETag"] == tag)
    }
    #expect(await api.get("/", fields: [("If-None-Match", "\"a\"")]).status == .ok)
  }

  @Test func `all files of the page are there, small, and revalidated by their tags`() async throws {
    let api = try APIFixture()
    #expect(PageFile.names(in: .home).contains("home.js"))
    for name in PageFile.names(in: .home) {
      let file = await get("/pages/\(name)", from: api)
      #expect(file.status == .ok, "\(name)")
      let isDocumentation = name.hasSuffix(".md") || name.hasSuffix(".yaml")
      #expect(isDocumentation || file.content.count < 80_000, "\(name)")
      let tag = try #require(file.fields["ETag"])
      #expect(await get("/pages/\(name)", tag: tag, from: api).status == .notModified)
    }
    for name in ["inspector.html", "nothing.js", "..", "%2e%2e"] {
      #expect(await get("/pages/\(name)", from: api).status == .notFound, "\(name)")
    }
  }

  @Test func `the page loads only files that there are, from this server, and makes no HTML of texts`() async throws {
    let api = try APIFixture()
    for folder in PageFile.Folder.allCases {
      for name in PageFile.names(in: folder) where !name.hasSuffix(".md") && !name.hasSuffix(".yaml") {
        let file = try #require(PageFile(name, in: folder)).response(to: Request("GET", "/"))
        for loaded in file.text.matches(of: /(?:src|href)="([^"#]*)"|from '([^']*)'| url\(([^)]*)\)/) {
          let address = String(loaded.1 ?? loaded.2 ?? loaded.3 ?? "")
          guard address != "data:,", address != "/", !address.isEmpty else { continue }
          #expect(!address.contains("//"), "\(name): \(address)")
          // A page may be told in its query which other file to show.
          for file in address.split(separator: "/").last?.split(separator: "?") ?? [] {
            #expect(PageFile(String(file), in: folder) != nil, "\(name): \(address)")
          }
        }
        for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
          #expect(!file.text.contains(forbidden), "\(name): \(forbidden)")
        }
        #expect(!name.hasSuffix(".html") || !file.text.contains(/<[^>]* (style|on\w+)=/), "\(name)")
      }
    }
    #expect(!(await get("/", from: api)).text.contains(APIFixture.authPassword))
  }

  @Test func `HOME_PAGE=off removes the page, its files and its JSON`() async throws {
    let api = try APIFixture { $0.hasHomePage = false }
    for path in ["/", "/home/index", "/home/index.html", "/pages/page.css", "/pages/Operations.md"] {
      #expect(await get(path, from: api).status == .notFound, "\(path)")
    }
    #expect(await !get("/", accept: "application/json, */*", from: api).text.contains("version"))
    #expect(await get("/up", from: api).status == .ok)
  }

  @Test func `a program learns the name, the version and the families`() async throws {
    let api = try APIFixture { settings in
      settings.families = [.notes, .selfie]
      settings.signup = .closed
    }
    let response = await get("/", accept: "application/json, */*;q=0.1", from: api)
    #expect(
      response.text
        == #"{"name":"selfie-server","version":"\#(Application.version)","families":["selfie","notes"],"#
        + #""signup":"closed","public_url":null,"max_photo_bytes":67108864}"#)
    #expect(response.fields["Vary"] == "Accept")
    #expect(await get("/", accept: "text/html, application/json", from: api).text.hasPrefix("<!DOCTYPE html>"))
  }

  @Test func `the documentation is that of this version`() async throws {
    let api = try APIFixture()
    #expect(await get("/pages/openapi.yaml", from: api).text.contains("\n  version: \(Application.version)\n"))
    #expect(await get("/pages/Compatibility.md", from: api).fields["Content-Type"] == "text/plain; charset=utf-8")
  }
}
