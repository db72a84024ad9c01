// The server's side of the page: the owner's commands, and the session.

/** What the server has refused, in its words. The status is 0 if it does not respond. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

async function send(method, path, body, keepalive = false) {
  const response = await fetch(`${location.origin}/owner/${path}`, {
    method, keepalive, cache: 'no-store', credentials: 'same-origin', redirect: 'error', body: body && JSON.stringify(body),
    headers: {Accept: 'application/json', 'X-Owner-Page': '1', ...body ? {'Content-Type': 'application/json'} : {}},
  }).catch(() => { throw new Refusal(0, 'The server does not respond.') })
  const json = await response.json().catch(() => ({}))
  if (response.ok) return json
  // The faults of a new account are a list; each ends in a comma.
  throw new Refusal(response.status, json.message?.replace(/,$/, '.') ?? `The server responded with ${response.status}.`)
}

/**
 * Runs one of the owner's commands, such as disableUser with {email}. Returns its result with a summary of what it has
 * changed and, for a list, the total of its elements. With `keepalive` it runs even if the page is left.
 */
export const run = (command, values = {}, keepalive = false) => send('POST', 'commands', {[command]: values}, keepalive)

/** Downloads a backup, by a link that is valid once and for a minute. A failure is one of the browser's downloads. */
export async function downloadBackup() {
  const {path} = await send('POST', 'backup')
  const link = document.createElement('a')
  link.href = path
  link.download = ''
  link.click()
}

/** The places of this page are in the address, too, as `#/users`. */
export const isPlace = hash => /^(#\/.*|#?)$/.test(hash)
export const addressOf = email => `#/users/${encodeURIComponent(email)}`

/** Begins a session with the link by which the page was opened. Its secret leaves the address at once. */
export async function open() {
  if (isPlace(location.hash)) return
  const link = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  await send('POST', 'session', {link})
}

export const close = () => send('DELETE', 'session')

/** A password that cannot be guessed: 20 of 62 characters. */
export function newPassword() {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  let text = ''
  while (text.length < 20) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      const index = byte & 63
      if (index < alphabet.length && text.length < 20) text += alphabet[index]
    }
  }
  return text
}
