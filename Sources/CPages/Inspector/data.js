// The users, photos and snapshots of the world that is shown.
import {attempt, control, on} from './control.js'
import {element, find} from './dom.js'
import {counted, span} from './format.js'
import {countFaults, showClock} from './state.js'
import {confirm, menu, tabs} from './widgets.js'

const maxPhotos = 60
/** How many photos are shown at most. */
let limit = maxPhotos

tabs(find('data-tabs'))('users-tab')

on('reload', 'data-result', drawData)
on('more-photos', 'data-result', () => {
  limit += maxPhotos
  return drawData()
})
on('reset', 'data-result', async () => {
  const text = 'All users, photos, faults and requests of this world will be removed, and its clock will show the real time.'
  if (!await confirm('Reset everything', text, 'Reset')) return
  await control('reset', 'POST')
  await Promise.all([showClock(), countFaults(), drawData()])
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

export const draw = () => attempt('data-result', async () => {
  await drawData()
  await drawSnapshots()
})

async function drawData() {
  const [state, {now}] = await Promise.all([control('state?base64=false'), control('clock')])
  find('no-users').hidden = state.users.length > 0
  find('user-table').hidden = !state.users.length
  find('users').replaceChildren(...state.users.map(user => {
    const tokens = user.tokens.filter(({retired}) => !retired)
    return element('tr', {},
      element('td', {}, user.email, user.disabled_at ? element('span', {class: 'bad'}, ' disabled') : ''),
      element('td', {}, [user.first_name, user.last_name].filter(Boolean).join(' ')),
      element('td', {class: 'number'}, user.photos.length.toLocaleString()),
      element('td', {}, tokens.map(token => tokenText(token, Date.parse(now))).join(', ') || 'none'),
      element('td', {class: 'number'}, ...tokens.length ? [menu(user.email,
        ['Expire tokens', () => changeTokens('expire', user)],
        ['Revoke tokens', () => changeTokens('revoke', user), 'danger'])] : []))
  }))
  const photos = state.users.flatMap(user => user.photos)
  find('no-photos').hidden = photos.length > 0
  find('more-photos').hidden = photos.length <= limit
  find('pictures').replaceChildren(...photos.slice(0, limit).map(photo => element('li', {},
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
