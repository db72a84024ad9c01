// The server's side of the page: the owner's commands, and the session.

/** What the server has refused, in its words. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

async function send(method, path, body) {
  let response
  try {
    response = await fetch(`/owner/${path}`, {
      method, cache: 'no-store', credentials: 'same-origin', redirect: 'error', body: body && JSON.stringify(body),
      headers: {Accept: 'application/json', 'X-Owner-Page': '1', ...body ? {'Content-Type': 'application/json'} : {}},
    })
  } catch {
    throw new Refusal(0, 'The server cannot be reached.')
  }
  const json = await response.json().catch(() => ({}))
  if (response.ok) return json
  throw new Refusal(response.status, json.message ?? `The server responded with ${response.status}.`)
}

/**
 * Runs one of the owner's commands, such as disableUser with {email}. Returns its result with a summary of what it has
 * changed and, for a list, the total of its elements.
 */
export const run = (command, values = {}) => send('POST', 'commands', {[command]: values})

/** Begins a session with the link by which the page was opened. Its secret leaves the address at once. */
export async function open() {
  const link = location.hash.slice(1)
  if (!link) return
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
