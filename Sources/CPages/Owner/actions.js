// Changes: each is confirmed, runs one of the owner's commands, and says how it ended.
import {element, find, say} from './dom.js'
import {bytes, counted} from './format.js'
import {newPassword, run} from './server.js'
import {confirm, copies} from './widgets.js'

/** Runs a command, and shows how it ended. Returns whether it succeeded. */
async function change(command, values, region = find('result'), keepalive = false) {
  waiting?.()
  try {
    const {summary} = await run(command, values, keepalive)
    report(`✓ ${summary}`, 'good')
    return true
  } catch (error) {
    report(`✗ ${error.message}`, 'bad', region)
    return false
  }
}

let timer = 0

/** Shows a result for a while, over whatever part of the page is in the window. */
function report(text, kind, region = find('result')) {
  clearTimeout(timer)
  say(region, text, kind)
  if (kind === 'good') timer = setTimeout(() => say(region, ''), 10_000)
}

// MARK: - What can be undone

const undoTime = 10_000
/** What has been confirmed and is not done yet. */
let waiting = null

/** Does something in ten seconds, or when the page is left, or something else is to be done. Returns whether it was done. */
function soon(text, action) {
  waiting?.()
  return new Promise(resolve => {
    const end = isDone => {
      clearTimeout(end.timer)
      waiting = null
      say(find('result'), '')
      resolve(isDone && action())
    }
    waiting = () => end(true)
    report(text, '')
    end.timer = setTimeout(waiting, undoTime)
    find('result').append(element('button', {type: 'button', class: 'plain small', onclick: () => end(false)}, 'Undo'))
  })
}
addEventListener('pagehide', () => waiting?.())

// MARK: - Secrets

copies(find('secret-copy'), () => find('secret-value').textContent)
find('secret-done').addEventListener('click', () => find('secret').close())
find('secret').addEventListener('close', () => { find('secret-value').textContent = '' })

/** Shows a secret, which the page forgets when the dialog closes. */
export function showSecret(title, text, secret) {
  find('secret-title').textContent = title
  find('secret-text').textContent = text
  find('secret-value').textContent = secret
  find('secret').showModal()
}

const showPassword = (email, password) => showSecret('The new password',
  `The new password of ${email}. Copy it now: it is shown only once, because the server keeps only a hash of it.`, password)

// MARK: - Users

export async function createUser(email, fullName) {
  const password = newPassword()
  const isCreated = await change('createUser', {email, fullName, password}, find('new-user-result'))
  if (isCreated) {
    find('new-user').close()
    showPassword(email, password)
  }
  return isCreated
}

async function setPassword({email}) {
  const text = `${email} will get a new password, and will have to sign in again.`
  if (!await confirm('New password', text, 'Set', null)) return false
  const password = newPassword()
  const isSet = await change('setPassword', {email, password})
  if (isSet) showPassword(email, password)
  return isSet
}

async function signOut({email, tokens}) {
  const text = `${counted(tokens, 'token')} of ${email} will end. Every device will have to sign in again.`
  return await confirm('Sign out', text, 'Sign out') && change('signOut', {email})
}

async function disable({email}) {
  const text = `${email} will not be able to sign in, and existing tokens will be refused, until you enable the account again.`
  return await confirm('Disable', text, 'Disable') && change('disableUser', {email})
}

const enable = ({email}) => change('enableUser', {email})

async function removeUser({email, photos, notes}) {
  const text = `${email} will be deleted, with ${counted(photos, 'photo')} and ${counted(notes, 'note')}. `
    + 'After that, they exist only in backups.'
  return await confirm('Delete the user', text, 'Delete') && change('deleteUser', {email})
}

/** The actions of a user, each with its name, a function that returns whether it was done, and its kind. */
export const userActions = user => [
  ['New password', () => setPassword(user)],
  ['Sign out', () => signOut(user), 'danger'],
  user.disabled_at ? ['Enable', () => enable(user)] : ['Disable', () => disable(user), 'danger'],
  ['Delete', () => removeUser(user), 'danger'],
]

// MARK: - Tokens and photos

export async function revoke({id, email}) {
  const text = `The token ${id} of ${email} will end, with all others from the same sign-in.`
  return await confirm('Revoke the token', text, 'Revoke') && change('revokeToken', {id})
}

/** `hide` is called when the photo seems to be gone, which the owner may undo. */
export async function removePhoto({random_id: id, email, title, byte_count: count}, hide) {
  const text = `“${title}” of ${email}, ${bytes(count)}, will be deleted. After that, it exists only in backups.`
  const image = element('img', {src: `/photos/${encodeURIComponent(id)}`, alt: '', onerror: () => image.remove()})
  if (!await confirm('Delete the photo', text, 'Delete', 'danger', image)) return false
  hide()
  return soon(`“${title}” will be deleted in ten seconds.`, () => change('deletePhoto', {id}, find('result'), true))
}
