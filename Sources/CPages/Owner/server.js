// The server's side of the page: its endpoints below /owner/, and the session.

/** What the server has refused, in its words. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** Sends a request. Returns the JSON of a success, with the number of all elements of a list. */
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
  if (response.ok) return {json, total: Number(response.headers.get('X-Total-Count') ?? 0)}
  throw new Refusal(response.status, json.message ?? `The server responded with ${response.status}.`)
}

const path = names => names.map(encodeURIComponent).join('/')

export const get = async (...names) => (await send('GET', `api/${path(names)}`)).json
/** The first elements of a list, and how many there are. */
export const list = (name, max, query = {}) => send('GET', `api/${name}?${new URLSearchParams({limit: max, ...query})}`)
export const change = async (method, names, body) => (await send(method, `api/${path(names)}`, body)).json

/** Begins a session with the link by which the page was opened. Its secret leaves the address at once. */
export async function open() {
  const link = location.hash.slice(1)
  if (!link) return
  history.replaceState(null, '', location.pathname)
  await send('POST', 'session', {link})
}

export const close = () => send('DELETE', 'session')

/** A password that nobody can guess: 20 of 62 characters. */
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
