/// Metrics in Prometheus' text format, read by its rules. Whatever breaks a rule is an error.
struct MetricsText {
  struct Malformed: Error, CustomStringConvertible {
    let line: String
    let why: String

    var description: String { "\(why): \(line)" }
  }

  struct Sample {
    let name: String
    let labels: [String: String]
    let value: Double
  }

  struct Family {
    let name: String
    let type: String
    var samples: [Sample] = []
  }

  private(set) var families: [Family] = []

  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Malformed(line: "", why: "the last line does not end") }
    // A regular expression is parsed each time that its literal is evaluated: once for each text, not for each line.
    let helpLine = /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)/
    let typeLine = /# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)/
    let readSample = Self.sampleReader()
    var help: String?
    var seen: Set<String> = []
    for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let match = line.wholeMatch(of: helpLine) {
        guard seen.insert("\(match.1)").inserted, !Self.hasOtherEscapes(match.2, than: "\\n") else {
          throw Malformed(line: line, why: "twice, or a wrong escape")
        }
        help = String(match.1)
      } else if let match = line.wholeMatch(of: typeLine) {
        guard help == String(match.1) else { throw Malformed(line: line, why: "not after its help") }
        help = nil
        families.append(Family(name: String(match.1), type: String(match.2)))
      } else {
        guard help == nil, let family = families.last else { throw Malformed(line: line, why: "no type before it") }
        let sample = try readSample(line)
        let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { family.name + $0 == sample.name }) else {
          throw Malformed(line: line, why: "a sample of another metric than \(family.name)")
        }
        let identity = "\(sample.name) \(sample.labels.sorted { $0.key < $1.key })"
        guard seen.insert(identity).inserted else { throw Malformed(line: line, why: "twice") }
        families[families.count - 1].samples.append(sample)
      }
    }
    for family in families where family.type == "histogram" { try Self.check(family) }
  }

  var samples: [Sample] { families.flatMap(\.samples) }

  /// The value of the one sample with this name and these labels among others; nil if there is none.
  subscript(name: String, labels: [String: String]) -> Double? {
    let found = all(name, labels)
    return found.count == 1 ? found[0].value : nil
  }

  subscript(name: String) -> Double? { self[name, [:]] }

  /// All samples with this name and these labels among others.
  func all(_ name: String, _ labels: [String: String] = [:]) -> [Sample] {
    samples.filter { sample in sample.name == name && labels.allSatisfy { sample.labels[$0] == $1 } }
  }

  private static func sampleReader() -> (String) throws -> Sample {
    let sampleLine = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/
    let labelBeginning = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)/
    return { line in
      guard let match = line.wholeMatch(of: sampleLine), let value = match.3 == "+Inf" ? .infinity : Double(match.3)
      else { throw Malformed(line: line, why: "no sample") }
      var labels: [String: String] = [:]
      var rest = match.2 ?? ""
      while let label = rest.prefixMatch(of: labelBeginning) {
        guard labels.updateValue(String(label.2), forKey: String(label.1)) == nil else {
          throw Malformed(line: line, why: "a label twice")
        }
        rest = rest[label.range.upperBound...]
      }
      guard rest.isEmpty else { throw Malformed(line: line, why: "no label") }
      return Sample(name: String(match.1), labels: labels, value: value)
    }
  }

  private static func hasOtherEscapes(_ text: Substring, than escape: String) -> Bool {
    text.replacing("\\\\", with: "").replacing(escape, with: "").contains("\\")
  }

  /// Each series has ascending buckets, and a count that equals the last of them.
  private static func check(_ family: Family) throws {
    let series = Dictionary(grouping: family.samples) { sample in
      sample.labels.filter { $0.key != "le" }
    }
    for (labels, samples) in series {
      let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
      let bounds = buckets.map { $0.labels["le"] == "+Inf" ? .infinity : Double($0.labels["le"] ?? "") ?? .nan }
      let isAscending = zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }
      let isCumulative = zip(buckets, buckets.dropFirst()).allSatisfy { $0.value <= $1.value }
      let count = samples.first { $0.name.hasSuffix("_count") }?.value
      guard isAscending, isCumulative, bounds.last == .infinity, count == buckets.last?.value,
        samples.filter({ $0.name.hasSuffix("_sum") }).count == 1
      else { throw Malformed(line: "\(family.name) \(labels)", why: "no histogram") }
    }
  }
}
