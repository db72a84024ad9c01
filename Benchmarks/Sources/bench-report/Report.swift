/// The results as Markdown.
struct Report {
  let results: Results
  let machine: String

  var markdown: String {
    ([
      "# Results of bin/bench", "",
      "Every contender of a measure ran in turn with the others, again and again, on the same machine. A ratio is the",
      "median of the rounds' ratios, with the least and the most of them.", "",
      machine,
    ]
      + section("Goals", goals) + section("All that was measured", values)
      + section("Notes", results.notes.map { "- \($0)" }))
      .joined(separator: "\n") + "\n"
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["## \(title)", ""] + lines + [""]
  }

  private var goals: [String] {
    [
      "| What | Compared with | Goal | Measured | Holds |",
      "|---|---|---|---|---|",
    ]
      + results.goals.map { goal in
        let verdict = Verdict(goal, results)
        let title = results.measure(goal.measure)?.title ?? goal.measure
        let holds = verdict.holds.map { $0 ? "yes" : "**no**" } ?? "-"
        return "| \(title) | \(goal.text) | \(verdict.bound) | \(verdict.value) | \(holds) |"
      }
  }

  private var values: [String] {
    ["| What | Contender | Median | Least–most |", "|---|---|---|---|"]
      + results.measures.flatMap { measure in
        measure.contenders.compactMap { contender in
          measure.spread(of: contender).map {
            "| \(measure.title) | \(name(contender)) | \(figure($0.median)) \(measure.unit) | "
              + "\(figure($0.least))–\(figure($0.most)) |"
          }
        }
      }
  }
}

/// A contender's name for readers.
func name(_ contender: String) -> String {
  switch contender {
  case "go": "Go net/http, SQLite"
  case "rust": "Rust, hyper, rusqlite"
  case "hummingbird": "Hummingbird, GRDB"
  case "hummingbird-shared": "Hummingbird, GRDB (shared)"
  default: contender
  }
}
