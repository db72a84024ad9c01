// Users, tokens and photos, with the actions of the owner's commands.
import {element, find, say} from './dom.js'
import {bytes, counted, time} from './format.js'
import {table} from './overview.js'
import {newPassword, run} from './server.js'
import {confirm, copies} from './widgets.js'

const maxRows = 200
const maxPhotos = 24

// MARK: - Dialogs

copies(find('secret-copy'), () => find('secret-value').textContent)

/** Shows a password, which the page forgets when the dialog closes. */
function showPassword(email, password) {
  const dialog = find('secret')
  find('secret-text').textContent =
    `The new password of ${email}. Copy it now: it is shown only once, because the server keeps only a hash of it.`
  find('secret-value').textContent = password
  find('secret-done').onclick = () => dialog.close()
  dialog.onclose = () => {
    find('secret-value').textContent = ''
    // The button that had the focus may have been replaced meanwhile.
    if (document.activeElement === document.body) find('users').focus()
  }
  dialog.showModal()
}

/** Runs a command, calls `then` if it succeeds, and shows how it ended; the lists are read again after it. */
async function change(region, command, values, then = () => {}) {
  try {
    const {summary} = await run(command, values)
    then()
    say(region, `✓ ${summary}`, 'good')
    await showAccounts()
  } catch (error) {
    // The faults of a new account are a list; each ends in a comma.
    say(region, `✗ ${error.message.replace(/,$/, '.')}`, 'bad')
  }
}

// MARK: - Users

const usersResult = find('users-result')

async function create() {
  const [email, fullName, password] = [find('email').value, find('full-name').value, newPassword()]
  await change(usersResult, 'createUser', {email, fullName, password}, () => {
    find('create').reset()
    showPassword(email, password)
  })
}

async function setPassword({email}) {
  if (!await confirm('New password', `${email} will get a new password, and will have to sign in again.`, 'Set', null)) return
  const password = newPassword()
  await change(usersResult, 'setPassword', {email, password}, () => showPassword(email, password))
}

async function signOut({email, tokens}) {
  const text = `All tokens of ${email} will end (${tokens}). Every device will have to sign in again.`
  if (!await confirm('Sign out', text, 'Sign out', null)) return
  await change(usersResult, 'signOut', {email})
}

async function disable({email}) {
  const text = `${email} will not be able to sign in, and existing tokens will be refused, until you enable the account again.`
  if (!await confirm('Disable', text, 'Disable')) return
  await change(usersResult, 'disableUser', {email})
}

const enable = ({email}) => change(usersResult, 'enableUser', {email})

async function remove({email, photos, notes}) {
  const text = `${email} will be deleted, with ${counted(photos, 'photo')} and ${counted(notes, 'note')}. `
    + 'After that, they exist only in backups.'
  if (!await confirm('Delete the user', text, 'Delete')) return
  await change(usersResult, 'deleteUser', {email})
}

/** A cell with buttons, which are named after what they are about. */
const actions = (about, ...buttons) => element('td', {class: 'actions'}, ...buttons.map(([name, action]) =>
  element('button', {type: 'button', class: 'plain small', 'aria-label': `${name} ${about}`, onclick: action}, name)))

const userRow = user => [
  user.email, [user.first_name, user.last_name].filter(Boolean).join(' '), user.photos, bytes(user.bytes), user.tokens,
  user.disabled_at ? `disabled since ${time(user.disabled_at)}` : 'active',
  actions(user.email, ['Password', () => setPassword(user)], ['Sign out', () => signOut(user)],
    user.disabled_at ? ['Enable', () => enable(user)] : ['Disable', () => disable(user)], ['Delete', () => remove(user)]),
]

// MARK: - Tokens

async function revoke({id, email}) {
  const text = `The token ${id} of ${email} will end, with all others from the same sign-in.`
  if (!await confirm('Revoke the token', text, 'Revoke')) return
  await change(find('tokens-result'), 'revokeToken', {id})
}

const tokenRow = token => [
  token.email, token.id, time(token.created_at), time(token.authtoken_expiry),
  actions(`token ${token.id}`, ['Revoke', () => revoke(token)]),
]

// MARK: - Photos

async function removePhoto({random_id: id, email, title}) {
  const text = `“${title}” of ${email} will be deleted. After that, it exists only in backups.`
  if (!await confirm('Delete the photo', text, 'Delete')) return
  await change(find('photos-result'), 'deletePhoto', {id})
}

function picture(photo) {
  const caption = element('figcaption', {id: `photo-${photo.id}`},
    `${photo.title}, ${photo.email}, ${bytes(photo.byte_count)}, ${time(photo.created_at)}`)
  return element('li', {},
    element('figure', {},
      element('img', {src: `/photos/${encodeURIComponent(photo.random_id)}`, alt: photo.title, loading: 'lazy'}), caption),
    element('button', {
      type: 'button', class: 'plain small', 'aria-describedby': caption.id, onclick: () => removePhoto(photo),
    }, 'Delete'))
}

let showsPhotos = false

async function showPhotos() {
  const {result: photos, total} = await run('listPhotos', {limit: maxPhotos})
  replace(find('photos'), ...photos.map(picture))
  if (find('photos-result').textContent) return
  say(find('photos-result'), photos.length ? more(photos, total, 'photos') : 'There are no photos.')
}

// MARK: - The lists

const more = (shown, total, name) =>
  total > shown.length
    ? `The first ${shown.length} of ${total} ${name}. To see more, run selfie-server ${name.slice(0, -1)} list --limit 1000.`
    : ''

/** Replaces the content of a region. The focus stays on the same button or, if that is gone, on the one in its place. */
function replace(region, ...children) {
  const before = [...region.querySelectorAll('button')]
  const place = before.indexOf(document.activeElement)
  region.replaceChildren(...children)
  if (place < 0) return
  const after = [...region.querySelectorAll('button')]
  const same = after.find(button => button.ariaLabel && button.ariaLabel === before[place].ariaLabel)
  ;(same ?? after[Math.min(place, after.length - 1)] ?? region).focus()
}

function fill(region, name, titles, rows, note) {
  replace(find(region),
    rows.length ? table(name, titles, rows) : element('p', {}, `There are no ${name.toLowerCase()}.`),
    element('p', {class: 'faint'}, note))
}

/** The addresses after which the pages of users begin, up to the one that is shown. */
let starts = ['']
let search = ''

async function showUsers() {
  const {result: users, total} = await run('listUsers', {search, after: starts.at(-1), limit: maxRows})
  const before = (starts.length - 1) * maxRows
  const isLast = before + users.length >= total
  fill('users', 'Users', ['Email', 'Name', 'Photos', 'Bytes', 'Tokens', 'State', 'Actions'], users.map(userRow),
    before || !isLast ? `Users ${before + 1} to ${before + users.length} of ${total}.` : '')
  find('users-back').hidden = !before
  find('users-next').hidden = isLast
  find('users-back').onclick = () => turnTo(starts.slice(0, -1))
  find('users-next').onclick = () => turnTo([...starts, users.at(-1).email])
}

async function turnTo(pages) {
  starts = pages
  try {
    await showUsers()
    find('users').focus()
  } catch (error) {
    say(usersResult, `✗ ${error.message}`, 'bad')
  }
}

export async function showAccounts() {
  const [tokens] = await Promise.all([run('listTokens', {limit: maxRows}), showUsers()])
  fill('tokens', 'Tokens', ['Email', 'Token', 'Created', 'Valid until', 'Actions'], tokens.result.map(tokenRow),
    more(tokens.result, tokens.total, 'tokens'))
  if (showsPhotos) await showPhotos()
}

find('create').addEventListener('submit', event => {
  event.preventDefault()
  create()
})
find('search-form').addEventListener('submit', event => {
  event.preventDefault()
  search = find('search').value
  turnTo([''])
})
find('show-photos').addEventListener('click', async event => {
  showsPhotos = true
  event.target.hidden = true
  try {
    await showPhotos()
    find('photos').focus()
  } catch (error) {
    say(find('photos-result'), `✗ ${error.message}`, 'bad')
  }
})
