const inSwift = text => `"${text.replace(/["\\]/g, '\\$&')}"`

/** The constants of the tutorial's app, for its HTTPHelper.swift. */
export const constants = (name, password) => `static let API_AUTH_NAME = ${inSwift(name || '…')}
static let API_AUTH_PASSWORD = ${inSwift(password || '…')}
static let BASE_URL = ${inSwift(`${location.origin}/api`)}`
