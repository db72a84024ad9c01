// The last refusals, which the server is asked for every two seconds while they are shown.
import {element, find} from './dom.js'
import {timeOfDay} from './format.js'
import {run} from './server.js'
import {replace, table} from './tables.js'

const interval = 2_000
const maxCount = 200
let timer = 0
/** The newest first. */
let refusals = []
/** The number of the newest; null before the first answer. */
let last = null

/**
 * Asks for what is new, and draws it: while nothing is new, a text that somebody selects stays. Then goes on asking, and
 * calls `failed` if there is no answer.
 */
export async function showRefusals(failed) {
  const news = (await run('why', {after: last})).result
  const known = new Set(news.map(({id}) => id))
  refusals = [...news, ...refusals.filter(({id}) => !known.has(id))].slice(0, maxCount)
  if (news.length || last === null) draw()
  last = news[0]?.number ?? last ?? 0
  clearTimeout(timer)
  timer = setTimeout(() => document.hidden || find('why-panel').hidden || showRefusals(failed).catch(failed), interval)
}

function draw() {
  replace(find('why'), !refusals.length ? element('p', {}, 'None so far.') : table('Refused requests',
    [['Time', 'time'], ['Status', ''], ['Why', 'text']], refusals.map(refusal => [
      timeOfDay(refusal.time), element('span', {class: `status ${refusal.status >= 500 ? 'bad' : ''}`}, `${refusal.status}`),
      element('span', {}, element('strong', {}, request(refusal)),
        element('span', {class: 'reason'}, refusal.detail), element('span', {class: 'faint detail'}, sender(refusal)))])))
}

const request = ({method, route, count}) =>
  `${!method ? 'A request that could not be read' : `${method} ${route ?? 'an address that no app has'}`}${count > 1 ? ` ×${count}` : ''}`

const sender = ({client, app, email, user_id: user, status, request_id: id}) =>
  [client, app, email ?? (user && `user ${user}`), status >= 500 && id && `request id ${id}`].filter(Boolean).join(' · ')
