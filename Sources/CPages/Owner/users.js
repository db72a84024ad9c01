// All users, searched and in pages.
import {createUser, userActions} from './actions.js'
import {element, find, say} from './dom.js'
import {bytes, counted, number} from './format.js'
import {addressOf, run} from './server.js'
import {replace, table} from './tables.js'
import {menu} from './widgets.js'

const maxRows = 50
const pause = 200

/** The addresses after which the pages begin, up to the one that is shown. */
let starts = ['']
/** Counts the lists that were asked for: only the newest is shown. */
let turn = 0

const columns = [
  ['Email', 'email'], ['Name', 'wide'], ['Photos', 'number'], ['Size', 'number wide'], ['Tokens', 'number wide'],
  ['Actions', 'number', 'unseen'],
]

export const nameOf = user => [user.first_name, user.last_name].filter(Boolean).join(' ')

const row = user => [
  element('span', {}, element('a', {href: addressOf(user.email)}, user.email),
    ...user.disabled_at ? [' ', element('span', {class: 'status bad'}, 'Disabled')] : []),
  nameOf(user), number(user.photos), bytes(user.bytes), number(user.tokens),
  menu(user.email, ...userActions(user).map(([name, action, kind]) =>
    [name, async () => { if (await action()) await showUsers() }, kind])),
]

export async function showUsers() {
  if (!find('user').hidden) {
    find('user').hidden = true
    find('user-list').hidden = false
    find('users').focus()
  }
  const mine = ++turn
  const search = find('search').value.trim()
  const {result: users, total} = await run('listUsers', {search, after: starts.at(-1), limit: maxRows})
  if (mine !== turn) return
  // The last one of a page was deleted.
  if (!users.length && starts.length > 1) return turnTo(starts.slice(0, -1))
  const before = (starts.length - 1) * maxRows
  const isLast = before + users.length >= total
  find('users-total').textContent = search ? `${counted(total, 'user')} found` : counted(total, 'user')
  replace(find('users'), users.length ? table('Users', columns, users.map(row))
    : element('p', {class: 'faint'}, search ? 'No user’s email or name contains this.' : 'There are no users yet.'))
  find('users-pager').hidden = !before && isLast
  find('users-range').textContent = `${number(before + 1)} to ${number(before + users.length)} of ${number(total)}`
  find('users-back').disabled = !before
  find('users-next').disabled = isLast
  find('users-next').onclick = () => turnTo([...starts, users.at(-1).email])
}

async function turnTo(pages) {
  starts = pages
  try {
    await showUsers()
    scrollTo(0, 0)
  } catch (error) {
    say(find('result'), `✗ ${error.message}`, 'bad')
  }
}

find('users-back').addEventListener('click', () => turnTo(starts.slice(0, -1)))

let timer = 0
find('search').addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(() => turnTo(['']), pause)
})
find('search-form').addEventListener('submit', event => event.preventDefault())

find('create').addEventListener('click', () => {
  say(find('new-user-result'), '')
  find('new-user').showModal()
})
find('new-user-cancel').addEventListener('click', () => find('new-user').close())
find('new-user-form').addEventListener('submit', async event => {
  event.preventDefault()
  if (!await createUser(find('email').value, find('full-name').value)) return
  find('new-user-form').reset()
  await turnTo(starts)
})
