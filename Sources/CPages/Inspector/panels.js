import {element, find, say} from './dom.js'
import {span} from './reasons.js'

// The clock, the faults, and what is stored.

let control
let showWorlds

/** Runs an action and says what became of it. */
async function attempt(region, action) {
  try {
    say(find(region), await action() ?? '', 'good')
  } catch (error) {
    say(find(region), error.message, 'bad')
  }
}

export function prepare(interface_, worlds) {
  control = interface_
  showWorlds = worlds
  for (const button of document.querySelectorAll('[data-clock]')) {
    button.addEventListener('click', () => attempt('clock-result', async () => {
      drawClock(await control('clock', 'POST', JSON.parse(button.dataset.clock)))
      showWorlds()
    }))
  }
  find('fault-form').addEventListener('submit', event => {
    event.preventDefault()
    attempt('fault-result', addFault)
  })
  on('remove-faults', 'fault-result', async () => {
    await control('faults', 'DELETE')
    await drawFaults()
  })
  on('reload', 'data-result', drawData)
  on('reset', 'data-result', async () => {
    await control('reset', 'POST')
    refresh()
    return 'Everything was removed.'
  })
  on('plant', 'data-result', async () => {
    const {users} = await control('seed', 'POST', JSON.parse(find('seed').value))
    await drawData()
    return `${users.length} user${users.length === 1 ? '' : 's'} created.`
  })
  on('save', 'data-result', async () => {
    const name = find('snapshot').value
    await control(`snapshots/${encodeURIComponent(name)}`, 'POST')
    await drawSnapshots()
    return `The snapshot ${name} is saved.`
  })
}

function on(id, region, action) {
  find(id).addEventListener('click', () => attempt(region, action))
}

/** Shows the present state of everything. */
export function refresh() {
  attempt('clock-result', async () => drawClock(await control('clock')))
  attempt('fault-result', drawFaults)
  attempt('data-result', async () => {
    await drawData()
    await drawSnapshots()
  })
}

// MARK: - The clock

/** A clock as a text, such as `25 h ahead`. */
export function showClock({frozen, ahead_milliseconds: ahead}) {
  // A frozen clock falls behind by milliseconds at once.
  const minutes = Math.round(Math.abs(ahead) / 60_000)
  const difference = minutes ? `${span(minutes * 60_000)} ${ahead < 0 ? 'behind' : 'ahead'}` : 'real time'
  return frozen ? `frozen, ${difference}` : difference
}

function drawClock(clock) {
  find('now').textContent = new Date(clock.now).toLocaleString()
  find('now').dateTime = clock.now
  find('ahead').textContent = `(${showClock(clock)})`
  const freeze = find('freeze')
  freeze.textContent = clock.frozen ? 'Run' : 'Freeze'
  freeze.dataset.clock = clock.frozen ? '{"run":true}' : '{"freeze":true}'
}

// MARK: - Faults

async function addFault() {
  await control('faults', 'POST', {
    ...JSON.parse(find('effect').value), path: find('fault-path').value, count: Number(find('fault-count').value),
  })
  await drawFaults()
  return 'The fault is set.'
}

async function drawFaults() {
  const {faults} = await control('faults')
  find('no-faults').hidden = faults.length > 0
  find('faults').replaceChildren(...faults.map(({id, matched, fired, remaining, ...rule}) => element('li', {},
    element('span', {}, element('code', {}, `${rule.method ?? 'any method'} ${rule.path ?? 'any path'}`), `: ${effect(rule)}`),
    element('span', {class: 'faint'},
      `changed ${fired} of ${count(matched, 'request')}${remaining == null ? '' : `, ${remaining} left`}`),
    element('button', {
      type: 'button', class: 'plain small',
      onclick: () => attempt('fault-result', async () => {
        await control(`faults/${id}`, 'DELETE')
        await drawFaults()
      }),
    }, `Remove fault ${id}`))))
}

const moments = {
  before_handling: 'before the request is handled', before_answer: 'before the response', in_body: 'within the body',
}

/** What a rule does, in words. */
function effect({share, status, drop, delay, drip, truncate, malform}) {
  const late = delay?.from ? `${delay.from} to ${delay.to}` : delay
  const parts = [
    status && `status ${status}`,
    drop && `the connection ends ${moments[drop] ?? drop}`,
    truncate && `the body ends after ${truncate.bytes == null ? `${100 * truncate.share} %` : `${truncate.bytes} bytes`}`,
    drip && `the body comes by ${drip.bytes} bytes every ${drip.every}`,
    malform && `the ${malform.replaceAll('_', ' ')} is malformed`,
    delay && `the response comes ${late} late`,
    share < 1 && `for ${100 * share} % of the requests`,
  ]
  return parts.filter(Boolean).join(', ')
}

// MARK: - What is stored

async function drawData() {
  const [state, clock] = await Promise.all([control('state'), control('clock')])
  const now = Date.parse(clock.now)
  const of = (list, user) => list.filter(({user_id}) => user_id === user.id)
  find('users').replaceChildren(...state.users.map(user => element('li', {},
    element('span', {},
      element('strong', {}, user.email), ' ',
      element('span', {class: 'faint'}, [user.first_name, user.last_name].filter(Boolean).join(' '))),
    element('span', {class: 'faint'}, [
      ...of(state.tokens, user).map(token => tokenText(token, now)),
      count(of(state.photos, user).length, 'photo'),
      ...user.disabled_at ? ['disabled'] : [],
    ].join(' · ')))))
  find('pictures').replaceChildren(...state.photos.map(photo => element('li', {},
    element('figure', {},
      element('img', {src: `/__admin/photos/${encodeURIComponent(photo.random_id)}`, alt: photo.title, loading: 'lazy'}),
      element('figcaption', {}, photo.title)))))
  if (!state.users.length) find('users').replaceChildren(element('li', {class: 'faint'}, 'There are no users.'))
}

function tokenText(token, now) {
  const left = Date.parse(token.expires_at) - now
  return left > 0 ? `token for ${span(left)}` : `token expired ${span(-left)} ago`
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`

async function drawSnapshots() {
  const {snapshots} = await control('snapshots')
  find('no-snapshots').hidden = snapshots.length > 0
  find('snapshots').replaceChildren(...snapshots.map(({name, users, photos}) => element('li', {},
    element('strong', {}, name),
    element('span', {class: 'faint'}, `${count(users, 'user')}, ${count(photos, 'photo')}`),
    element('button', {
      type: 'button', class: 'plain small',
      onclick: () => attempt('data-result', async () => {
        await control(`snapshots/${encodeURIComponent(name)}/restore`, 'POST')
        await drawData()
        return `The snapshot ${name} is restored.`
      }),
    }, `Restore ${name}`),
    element('button', {
      type: 'button', class: 'plain small',
      onclick: () => attempt('data-result', async () => {
        await control(`snapshots/${encodeURIComponent(name)}`, 'DELETE')
        await drawSnapshots()
      }),
    }, `Delete ${name}`))))
}
