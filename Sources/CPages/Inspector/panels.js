// The clock, the faults, and the data of the world that is shown.
import {allWorlds, control, shown} from './control.js'
import {element, find, say} from './dom.js'
import {counted, span, timeOfDay} from './format.js'
import {confirm, menu} from './widgets.js'

let showWorlds

/** Whether one world is shown, and not all. */
export const hasWorld = () => shown.world !== allWorlds

/** Runs an action and shows its result, or why it failed. */
async function attempt(region, action) {
  try {
    say(find(region), await action() ?? '', 'good')
  } catch (error) {
    say(find(region), error.message, 'bad')
  }
}

export function prepare(worlds) {
  showWorlds = worlds
  for (const button of document.querySelectorAll('[data-clock]')) {
    button.addEventListener('click', () => attempt('clock-result', async () => {
      drawClock(await control('clock', 'POST', JSON.parse(button.dataset.clock)))
      showWorlds()
    }))
  }
  setInterval(tick, 1000)
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
    const text = 'All users, photos, faults and requests of this world will be removed, and its clock will show the real time.'
    if (!await confirm('Reset everything', text, 'Reset')) return
    await control('reset', 'POST')
    await refresh()
    return 'Everything was removed.'
  })
  on('plant', 'data-result', async () => {
    const {users} = await control('seed', 'POST', JSON.parse(find('seed').value))
    await drawData()
    return `${counted(users.length, 'user')} created.`
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

/** Shows the current state of everything. */
export const refresh = () => Promise.all([
  attempt('clock-result', async () => drawClock(await control('clock'))),
  attempt('fault-result', drawFaults),
  find('data-panel').hidden || draw(),
])

/** Shows the data. */
export const draw = () => attempt('data-result', async () => {
  await drawData()
  await drawSnapshots()
})

// MARK: - The clock

/** A clock as a text, such as `25 h ahead`. */
export function showClock({frozen, ahead_milliseconds: ahead}) {
  // A frozen clock falls behind by milliseconds at once.
  const minutes = Math.round(Math.abs(ahead) / 60_000)
  const difference = minutes ? `${span(minutes * 60_000)} ${ahead < 0 ? 'behind' : 'ahead'}` : 'real time'
  return frozen ? `frozen, ${difference}` : difference
}

let clock = null
let drawn = 0

function drawClock(received) {
  clock = received
  drawn = performance.now()
  find('ahead').textContent = `(${showClock(clock)})`
  const freeze = find('freeze')
  freeze.textContent = clock.frozen ? 'Run' : 'Freeze'
  freeze.dataset.clock = clock.frozen ? '{"run":true}' : '{"freeze":true}'
  tick()
}

function tick() {
  if (!clock) return
  const now = new Date(Date.parse(clock.now) + (clock.frozen ? 0 : performance.now() - drawn))
  find('now').textContent = timeOfDay(now)
  find('now').dateTime = now.toISOString()
}

// MARK: - Faults

async function addFault() {
  await control('faults', 'POST', {
    ...JSON.parse(find('effect').value), path: find('fault-path').value, count: Number(find('fault-count').value),
  })
  await drawFaults()
  return 'The fault was added.'
}

async function drawFaults() {
  const {faults} = await control('faults')
  find('no-faults').hidden = faults.length > 0
  find('remove-faults').disabled = !faults.length
  const active = faults.filter(({remaining}) => remaining !== 0)
  find('fault-total').hidden = !active.length
  find('fault-total').textContent = active.length
  find('faults').replaceChildren(...faults.map(({id, matched, fired, remaining, ...rule}) => element('li', {},
    element('span', {},
      element('code', {}, `${rule.method ?? 'any method'} ${rule.path ?? 'any path'}`), `: ${effect(rule)}`),
    element('span', {class: 'faint'},
      `changed ${fired} of ${counted(matched, 'request')}${remaining == null ? '' : remaining ? `, ${remaining} left` : ', used up'}`),
    element('button', {
      type: 'button', class: 'plain small danger', 'aria-label': `Remove fault ${id}`,
      onclick: () => attempt('fault-result', async () => {
        await control(`faults/${id}`, 'DELETE')
        await drawFaults()
      }),
    }, 'Remove'))))
}

const moments = {
  before_handling: 'before the request is handled', before_answer: 'before the response', in_body: 'in the middle of the body',
}

/** A duration of the interface, such as `3000ms`, as `3 s`. */
const duration = text => text.replace(/^(\d+)000ms$/, '$1 s').replace(/^(\d+)ms$/, '$1 ms')

/** The effect of a rule in words. */
function effect({share, status, drop, delay, drip, truncate, malform}) {
  const late = delay?.from ? `${duration(delay.from)} to ${duration(delay.to)}` : delay && duration(delay)
  const parts = [
    status && `status ${status}`,
    drop && `the connection ends ${moments[drop] ?? drop}`,
    truncate && `the body ends after ${truncate.bytes == null ? `${100 * truncate.share} %` : `${truncate.bytes} bytes`}`,
    drip && `${drip.bytes} bytes of the body arrive every ${duration(drip.every)}`,
    malform && `the ${malform.replaceAll('_', ' ')} is malformed`,
    delay && `the response is ${late} late`,
    share < 1 && `for ${100 * share} % of the requests`,
  ]
  return parts.filter(Boolean).join(', ')
}

// MARK: - Data

async function drawData() {
  const [state, {now}] = await Promise.all([control('state'), control('clock')])
  const of = (list, user) => list.filter(({user_id}) => user_id === user.id)
  find('no-users').hidden = state.users.length > 0
  find('user-table').hidden = !state.users.length
  find('users').replaceChildren(...state.users.map(user => {
    const tokens = of(state.tokens, user)
    return element('tr', {},
      element('td', {}, user.email, user.disabled_at ? element('span', {class: 'bad'}, ' disabled') : ''),
      element('td', {}, [user.first_name, user.last_name].filter(Boolean).join(' ')),
      element('td', {class: 'number'}, of(state.photos, user).length.toLocaleString()),
      element('td', {}, tokens.map(token => tokenText(token, Date.parse(now))).join(', ') || 'none'),
      element('td', {class: 'number'}, ...tokens.length ? [menu(user.email,
        ['Expire tokens', () => changeTokens('expire', user)],
        ['Revoke tokens', () => changeTokens('revoke', user), 'danger'])] : []))
  }))
  find('picture-card').hidden = !state.photos.length
  find('pictures').replaceChildren(...state.photos.map(photo => element('li', {},
    element('figure', {},
      element('img', {src: `/__admin/photos/${encodeURIComponent(photo.random_id)}`, alt: `Photo: ${photo.title}`, loading: 'lazy'}),
      element('figcaption', {}, photo.title)))))
}

function tokenText(token, now) {
  const left = Date.parse(token.expires_at) - now
  return left > 0 ? `valid for ${span(left)}` : `expired ${span(-left)} ago`
}

const changeTokens = (change, {email}) => attempt('data-result', async () => {
  const isRevoked = change === 'revoke'
  if (isRevoked && !await confirm('Revoke tokens', `All tokens of ${email} will end, as if the user had signed out.`, 'Revoke')) return
  await control(`tokens/${change}`, 'POST', {email})
  await drawData()
  return `The tokens of ${email} ${isRevoked ? 'are revoked' : 'have expired'}.`
})

async function drawSnapshots() {
  const {snapshots} = await control('snapshots')
  find('no-snapshots').hidden = snapshots.length > 0
  find('snapshots').replaceChildren(...snapshots.map(({name, users, photos}) => element('li', {},
    element('strong', {}, name),
    element('span', {class: 'faint'}, `${counted(users, 'user')}, ${counted(photos, 'photo')}`),
    menu(name, ['Restore', () => attempt('data-result', () => restore(name))],
      ['Delete', () => attempt('data-result', () => remove(name)), 'danger']))))
}

async function restore(name) {
  await control(`snapshots/${encodeURIComponent(name)}/restore`, 'POST')
  await drawData()
  return `The snapshot ${name} is restored.`
}

async function remove(name) {
  if (!await confirm('Delete the snapshot', `The snapshot ${name} will be deleted.`, 'Delete')) return
  await control(`snapshots/${encodeURIComponent(name)}`, 'DELETE')
  await drawSnapshots()
}
