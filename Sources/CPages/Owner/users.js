// All users: searched, filtered and sorted, in pages. What is shown is in the address.
import {createUser, userActions} from './actions.js'
import {element, find, say} from './dom.js'
import {bytes, counted, number} from './format.js'
import {addressOf, run} from './server.js'
import {ago, replace, table} from './tables.js'
import {menu} from './widgets.js'

const maxRows = 50
/** So many are loaded. Of more, the server looks for those that the search names. */
const maxUsers = 10_000
const pause = 200

let users = []
let total = 0
let quota = 0
let page = 0
/** Counts the lists that were asked for: only the newest is shown. */
let turn = 0

export const nameOf = user => [user.first_name, user.last_name].filter(Boolean).join(' ')

/** Without capitals and accents. */
const plain = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The columns: their titles, the classes of their cells, and what they are sorted by. */
const columns = [
  ['Email', 'email', user => plain(user.email)], ['Name', 'wide', user => plain(nameOf(user))], ['Photos', 'number', user => user.photos],
  ['Size', 'number wide', user => user.bytes], ['Tokens', 'number wide', user => user.tokens], ['Created', 'wide', user => user.created_at],
]

const filters = {
  disabled: user => user.disabled_at, full: user => quota > 0 && user.bytes > 0.8 * quota, out: user => !user.tokens,
}

const row = user => [
  element('span', {}, element('a', {href: addressOf(user.email)}, user.email),
    ...user.disabled_at ? [' ', element('span', {class: 'status bad'}, 'Disabled')] : []),
  nameOf(user), number(user.photos), bytes(user.bytes), number(user.tokens), ago(user.created_at),
  menu(user.email, ...userActions(user).map(([name, action, kind]) =>
    [name, async () => { if (await action()) await showUsers() }, kind])),
]

const asked = () => new URLSearchParams(location.hash.split('?')[1])

/** Keeps a part of what is shown in the address. */
function keep(name, value) {
  const parameters = asked()
  if (value) parameters.set(name, value)
  else parameters.delete(name)
  history.replaceState(null, '', `#/users${`${parameters}` && `?${parameters}`}`)
  page = 0
}

/** Loads the users, and shows them. */
export async function showUsers() {
  if (!find('user').hidden) {
    find('user').hidden = true
    find('user-list').hidden = false
    find('users').focus()
  }
  find('search').value = asked().get('q') ?? ''
  find('users-filter').value = asked().get('filter') ?? ''
  const mine = ++turn
  const search = total > maxUsers ? find('search').value.trim() : ''
  const [list, settings] = await Promise.all([run('listUsers', {search, limit: maxUsers}), run('settings')])
  if (mine !== turn) return
  users = list.result
  total = Math.max(list.total, search ? total : 0)
  quota = Number(settings.result.find(({name}) => name === 'USER_QUOTA')?.value ?? 0)
  draw()
}

function draw() {
  const words = plain(find('search').value).split(/\s+/).filter(Boolean)
  const filter = filters[find('users-filter').value] ?? (() => true)
  const [, isDown, name] = (asked().get('sort') ?? 'Email').match(/^(-?)(.*)$/)
  const column = columns.find(([title]) => title === name) ?? columns[0]
  const order = (a, b) => a < b ? -1 : a > b ? 1 : 0
  const found = users
    .filter(user => filter(user) && words.every(word => plain(`${user.email} ${nameOf(user)}`).includes(word)))
    .sort((a, b) => (isDown ? -1 : 1) * order(column[2](a), column[2](b)))
  page = Math.max(0, Math.min(page, Math.ceil(found.length / maxRows) - 1))
  const start = page * maxRows
  const shown = found.slice(start, start + maxRows)
  const isPart = words.length || find('users-filter').value
  find('users-total').textContent = (isPart ? `${counted(found.length, 'user')} found` : counted(total, 'user'))
    + (total > users.length && !words.length ? `. The first ${number(users.length)} are shown; search for others.` : '')
  const titles = columns.map(([title, kind]) => [element('button', {
    type: 'button', class: 'sort', onclick: () => {
      keep('sort', title === column[0] && !isDown ? `-${title}` : title)
      draw()
    },
  }, `${title}${title === column[0] ? isDown ? ' ▾' : ' ▴' : ''}`), kind])
  const made = table('Users', [...titles, ['Actions', 'number', 'unseen']], shown.map(row))
  made.tHead.rows[0].cells[columns.indexOf(column)].ariaSort = isDown ? 'descending' : 'ascending'
  replace(find('users'), shown.length ? made
    : element('p', {class: 'faint'}, isPart ? 'No users match.' : 'There are no users yet.'))
  find('users-pager').hidden = found.length <= maxRows
  find('users-range').textContent = `${number(start + 1)} to ${number(start + shown.length)} of ${number(found.length)}`
  find('users-back').disabled = !page
  find('users-next').disabled = start + shown.length >= found.length
}

for (const [id, step] of [['users-back', -1], ['users-next', 1]]) {
  find(id).addEventListener('click', () => {
    page += step
    draw()
    scrollTo(0, 0)
  })
}

let timer = 0
find('search').addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    keep('q', find('search').value.trim())
    if (total > maxUsers) showUsers().catch(error => say(find('result'), `✗ ${error.message}`, 'bad'))
    else draw()
  }, pause)
})
find('users-filter').addEventListener('change', () => {
  keep('filter', find('users-filter').value)
  draw()
})
find('search-form').addEventListener('submit', event => event.preventDefault())

find('create').addEventListener('click', () => {
  say(find('new-user-result'), '')
  find('new-user').showModal()
})
find('new-user-cancel').addEventListener('click', () => find('new-user').close())
find('new-user-form').addEventListener('submit', async event => {
  event.preventDefault()
  // Without the button, neither another click nor Enter sends the form again.
  find('new-user-create').disabled = true
  const isCreated = await createUser(find('email').value, find('full-name').value)
  find('new-user-create').disabled = false
  if (!isCreated) return
  find('new-user-form').reset()
  await showUsers()
})
