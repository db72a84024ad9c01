/// "1 user", "2 users": a number and a noun whose plural ends in s. `HumanValue` shows long numbers with commas.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(inflected(noun, count))" }

/// The form of a noun that follows a number.
package func inflected(_ noun: String, _ count: some BinaryInteger) -> String { count == 1 ? noun : noun + "s" }
