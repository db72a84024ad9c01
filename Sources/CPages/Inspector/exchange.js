// The parts of an exchange in the journal, and why it was refused, in the server’s words.
import {span} from './format.js'

export const field = (fields, name) => fields?.find(field => field.name.toLowerCase() === name)?.value

/** Everything that was sent by name, in the query or in the body. */
export const parameters = ({query, body}) => ({...body.parameters, ...query})

/** Why a request was refused, as a sentence; null if it was not. */
export function why({fault, status, message, detail}) {
  if (fault != null) return `Fault ${fault} ${status == null ? 'dropped the connection' : 'changed the response'}, as a test requested.`
  if (status == null) return 'The connection ended before a response.'
  // A preflight that is not allowed has a status of success, and a detail.
  const text = detail ?? (status < 400 ? null : message?.replace(/,$/, '') ?? 'the server has refused the request')
  return text && text.charAt(0).toUpperCase() + text.slice(1)
}

/** What the server does not say in its response, as a sentence: of a request that was taken, and of a password. */
export function secretly(exchange) {
  const [all, said] = [parameters(exchange), why(exchange) ?? '']
  const passwords = Object.entries(all).filter(([name]) => /pass/i.test(name)).map(([, value]) => value)
  if (/encrypted twice|the IV stands|was (encrypted|padded) with/.test(said)) return ''
  if (passwords.includes('decrypts: yes, twice')) return 'The password was encrypted twice.'
  if (passwords.includes('decrypts: yes, after an IV')) return 'The IV stands before the encrypted password. Send the encrypted password alone; the IV is 16 zero bytes.'
  if (exchange.status === 200 && all.image?.content_type === 'application/octet-stream') return 'The photo is stored as it was sent, but its bytes are not those of an image. Was it sent as Base64?'
  if (exchange.status < 400 || !/password/i.test(said)) return ''
  if (passwords.includes('decrypts: no')) return 'The password does not decrypt with the API’s password.'
  return exchange.error === 'wrong_password' ? 'The password was encrypted correctly, but it is not this user’s.' : ''
}

/** Why a request was refused, less what all requests for its address need; or its user, and the title of its photo. */
export function summary(exchange) {
  const sent = parameters(exchange)
  const user = exchange.token?.email ?? sent.email ?? field(exchange.fields, 'authorization')?.match(/^Basic \(password of (.*)\)$/)?.[1]
  return why(exchange)?.replace('The request body is not valid JSON: ', 'JSON: ')
    .replace(/(?<=^The token .*); [A-Z]+ \/\S* needs Token.*/, '').replace(/; [A-Z]+ \/\S* needs (Basic|Token).*/, '; it needs $1')
    ?? (secretly(exchange) || [user, sent.title].filter(text => typeof text === 'string').join(', '))
}

/** `expired 3 h ago, of ada@example.com`, as of the request's own time. */
export function stateOf({token, time}) {
  const left = Date.parse(token.expires_at) - Date.parse(time)
  const states = {
    valid: `valid for another ${span(left)}`, expired: `expired ${span(-left)} ago`, refreshed: 'already refreshed',
    unknown: 'unknown, or ended by a sign-out or a new password',
  }
  return `${states[token.state]}${token.email ? `, of ${token.email}` : ''}`
}
