import Glibc
import HTTPMessages
import Measuring

/// Prints how many gigabytes of a text of `<`, each of which is escaped, one thread writes as JSON per second of processor time.
@main
struct JSONEscaping {
  static func main() {
    let text = String(repeating: "<", count: 131_000)
    let start = clock()
    var (count, written) = (0, 0)
    while seconds(since: start) < 1 {
      written = JSONWriter.object { $0.member("body", text) }.count
      count += text.utf8.count
    }
    guard written > 6 * text.utf8.count else { fail("The text was not escaped.") }
    print(decimals(Double(count) / seconds(since: start) / 1e9, 2))
  }

  private static func seconds(since start: clock_t) -> Double { Double(clock() - start) / Double(CLOCKS_PER_SEC) }
}
