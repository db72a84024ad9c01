// The control interface, in the world that is shown.
import {find, say} from './dom.js'

/** Stands for all worlds. No world can have this name. */
export const allWorlds = '*'

export const shown = {world: new URLSearchParams(location.search).get('world') ?? ''}
/** Whether one world is shown, and not all. */
export const hasWorld = () => shown.world !== allWorlds

/** Sends a request to the control interface. Throws its refusal. */
export async function control(path, method = 'GET', body, world = shown.world) {
  // Without the credentials that the page's own address may have: fetch refuses such addresses.
  const response = await fetch(`${location.origin}/__admin/${path}`, {
    method, cache: 'no-store', body: body && JSON.stringify(body),
    headers: {...world && {'X-Test-World': world}, Accept: 'application/json', ...body && {'Content-Type': 'application/json'}},
  }).catch(() => {
    throw Object.assign(new Error('The server does not respond.'), {isAway: true})
  })
  const json = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(json.message ?? `The server responded with ${response.status}.`)
  return json
}

/** Runs an action and shows its result, or why it failed. */
export async function attempt(region, action) {
  try {
    say(find(region), await action() ?? '', 'good')
  } catch (error) {
    say(find(region), error.message, 'bad')
  }
}

/** Makes a button run an action. */
export const on = (id, region, action) => find(id).addEventListener('click', () => attempt(region, action))
