// One user, with tokens, photos and all actions.
import {revoke, userActions} from './actions.js'
import {element, find} from './dom.js'
import {bytes, counted, number, time} from './format.js'
import {gallery} from './photos.js'
import {run} from './server.js'
import {ago, replace, table} from './tables.js'
import {nameOf} from './users.js'
import {menu} from './widgets.js'

const maxTokens = 100

/** How much of a limit is used, with a bar. */
function used(name, value, limit, shown) {
  const text = limit ? `${shown(value)} of ${shown(limit)}` : shown(value)
  if (!limit) return [name, text]
  return [name, text, element('progress', {value: Math.min(value, limit), max: limit, 'aria-label': `${name}: ${text}`})]
}

export async function showUser(email) {
  const [{result: user}, tokens] = await Promise.all([run('showUser', {email}), run('listTokens', {email, limit: maxTokens})])
  const region = find('user')
  const again = () => showUser(email)
  const facts = [
    ['Name', nameOf(user) || '–'], ['State', user.disabled_at ? `Disabled since ${time(user.disabled_at)}` : 'Active'],
    used('Photos', user.photos, user.max_photos, number), used('Size', user.bytes, user.quota, bytes),
    ['Notes', number(user.notes)], ['Created', ago(user.created_at)], ['Changed', ago(user.updated_at)], ['Id', `${user.id}`],
  ]
  const photos = element('div')
  replace(region,
    element('p', {class: 'back'}, element('a', {href: '#/users'}, '‹ All users')),
    element('div', {class: 'head'}, element('h2', {id: 'user-title'}, user.email)),
    element('div', {class: 'row'}, ...userActions(user).map(([name, action, kind]) => element('button', {
      type: 'button', class: `plain small ${kind ?? ''}`, onclick: async () => {
        if (!await action()) return
        if (name === 'Delete') location.hash = '#/users'
        else await again()
      },
    }, name))),
    element('div', {class: 'columns'},
      element('div', {class: 'card'}, element('h3', {}, 'Account'), element('dl', {}, ...facts.flatMap(([name, ...values]) =>
        [element('dt', {}, name), element('dd', {}, ...values)]))),
      element('div', {class: 'card'}, element('h3', {}, 'Tokens'), ...tokenList(tokens, again))),
    element('h3', {class: 'title'}, 'Photos'), photos)
  find('user-list').hidden = true
  if (region.hidden) {
    region.hidden = false
    region.focus()
    scrollTo(0, 0)
  }
  await gallery(photos, {email, changed: again})
}

function tokenList({result: tokens, total}, again) {
  if (!tokens.length) return [element('p', {class: 'faint'}, 'This user is not signed in on any device.')]
  const rows = tokens.map(token => [
    element('code', {}, token.id.slice(0, 8)), ago(token.created_at), time(token.authtoken_expiry),
    menu(`token ${token.id}`, ['Revoke', async () => { if (await revoke(token)) await again() }, 'danger']),
  ])
  return [
    table('Tokens', [['Token', 'wide'], ['Created', ''], ['Valid until', ''], ['Actions', 'number', 'unseen']], rows),
    ...total > tokens.length ? [element('p', {class: 'faint'}, `The newest ${tokens.length} of ${counted(total, 'token')}.`)] : [],
  ]
}
