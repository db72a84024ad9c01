import CPostgreSQL

/// The type of a result's column: the object identifier of a row of pg_type.
struct ColumnType {
  let rawValue: Oid

  /// Whether ``SQL/Rows`` can show its values. The others, such as the numeric that a sum is, must be cast.
  var isReadable: Bool {
    switch rawValue {
    // smallint, integer, bigint.
    case 21, 23, 20: true
    // text, character varying, character, name.
    case 25, 1043, 1042, 19: true
    // bytea, and void, which is the empty result of a function that returns nothing.
    case 17, 2278: true
    default: false
    }
  }
}
