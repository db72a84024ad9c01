// The server's side of the page: the owner's commands, backups, and the session.

/** What the server has refused, in its words. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

async function request(method, path, body, signal) {
  let response
  try {
    response = await fetch(`/owner/${path}`, {
      method, signal, cache: 'no-store', credentials: 'same-origin', redirect: 'error', body: body && JSON.stringify(body),
      headers: {Accept: 'application/json', 'X-Owner-Page': '1', ...body ? {'Content-Type': 'application/json'} : {}},
    })
  } catch (error) {
    throw error.name === 'AbortError' ? error : new Refusal(0, 'The server cannot be reached.')
  }
  if (response.ok) return response
  const {message} = await response.json().catch(() => ({}))
  // The faults of a new account are a list; each ends in a comma.
  throw new Refusal(response.status, message?.replace(/,$/, '.') ?? `The server responded with ${response.status}.`)
}

const send = async (...words) => (await request(...words)).json()

/**
 * Runs one of the owner's commands, such as disableUser with {email}. Returns its result with a summary of what it has
 * changed and, for a list, the total of its elements.
 */
export const run = (command, values = {}) => send('POST', 'commands', {[command]: values})

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

/** Makes a backup. Tells `progress` how many bytes have arrived. Returns the backup as a blob, and its name. */
export async function backUp(progress, signal) {
  const response = await request('POST', 'backup', undefined, signal)
  const name = response.headers.get('Content-Disposition').match(/filename="(.*)"/)[1]
  const reader = response.body.getReader()
  let [blob, pieces, count] = [new Blob(), [], 0]
  while (true) {
    const {done, value} = await reader.read()
    if (done) return {name, blob: new Blob([blob, ...pieces], {type: 'application/x-tar'})}
    pieces.push(value)
    count += value.length
    progress(count)
    if (pieces.length < 500) continue
    // A browser may keep blobs on its disk, and arrays in memory only.
    blob = new Blob([blob, ...pieces])
    pieces = []
  }
}

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
