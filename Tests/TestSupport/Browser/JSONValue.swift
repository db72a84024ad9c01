import Foundation
import SelfieTestDocuments

/// Values of the DevTools protocol.
extension JSONValue {
  /// JSONSerialization reads it in one pass. JSONDecoder would have to try one type after the other.
  init(parsing data: Data) throws {
    self.init(try JSONSerialization.jsonObject(with: data))
  }

  private init(_ value: Any) {
    switch value {
    case let text as String: self = .string(text)
    case let members as [String: Any]: self = .object(members.mapValues { JSONValue($0) })
    case let elements as [Any]: self = .array(elements.map { JSONValue($0) })
    case let number as NSNumber:
      // The Objective-C type code of a Boolean.
      let isBool = number.objCType.pointee == CChar(UInt8(ascii: "c"))
      self = isBool ? .bool(number.boolValue) : .number(number.stringValue)
    default: self = .null
    }
  }

  package subscript(name: String) -> JSONValue {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  package var number: Double? { if case .number(let text) = self { Double(text) } else { nil } }

  package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByArrayLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .number("\(value)") }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { first, _ in first })
  }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}
