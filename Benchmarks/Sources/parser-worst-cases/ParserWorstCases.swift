import Glibc
import Measuring

/// `parser-worst-cases PORT PID BASIC TOKEN PHOTO SECONDS`: sends the server the inputs that cost its parsers most, and
/// prints the nanoseconds of processor time for each byte, and the milliseconds for which the last piece of one holds an
/// event loop.
///
/// Of a family of inputs, which fill one field, name or value with many patterns, the costliest is measured.
///
/// Each input is sent in two sizes: a parser that is linear in its input costs the same for each byte. For SECONDS more,
/// inputs are mutated, and those that cost more are kept.
///
/// Lines of the output: `NAME<tab>smaller: ns a byte<tab>larger: ns a byte<tab>growth<tab>larger: ms of
/// the loop<tab>larger: ms of all threads`.
@main
struct ParserWorstCases {
  static func main() {
    let arguments = arguments("parser-worst-cases PORT PID BASIC TOKEN PHOTO SECONDS")
    let meter = Meter(port: UInt16(number(arguments[0])), process: number(arguments[1]))
    let client = Client(basic: arguments[2], token: arguments[3], photo: arguments[4])
    for input in client.inputs { write(meter.measure(input)) }
    for family in client.families { meter.measure(family).map(write) }
    let search = Search(meter: meter, client: client, seconds: Double(number(arguments[5])))
    for input in search.worst() { write(meter.measure(input)) }
  }

  private static func write(_ cost: Meter.Cost) {
    let bytes = Array("\(cost)\n".utf8)
    _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }
}
