// The request that is open. Loaded with the first one.
import {isFile} from './call.js'
import {control} from './control.js'
import {element} from './dom.js'
import {field, parameters, secretly, stateOf, why} from './exchange.js'
import {bytes, milliseconds, time} from './format.js'
import {advice} from './reasons.js'
import {chip, kind} from './requests.js'
import {copies} from './widgets.js'

/** An exchange in full: why it was refused, what was sent, by whom, and what came back. */
export function opened(entry, close) {
  const {world, exchange} = entry
  const {body, response} = exchange
  const [again, copied] = [element('div'), element('pre', {hidden: true})]
  const button = (name, onclick) => element('button', {type: 'button', class: 'plain small', onclick}, name)
  const copy = name => {
    const made = button(`Copy as ${name}`)
    copies(made, async () => {
      copied.textContent = (await import('./share.js'))[name.toLowerCase()](entry)
      copied.hidden = false
      return copied.textContent
    })
    return made
  }
  return [
    element('p', {class: 'back'}, button('‹ All requests', close)),
    element('h2', {}, `${exchange.method} ${exchange.path}`),
    element('p', {class: 'facts'}, chip(exchange), element('span', {}, `${milliseconds(exchange.duration_milliseconds)} ms`),
      element('span', {class: 'faint'}, time(exchange.time)), element('span', {class: 'faint'}, `world ${world || 'main'}`)),
    ...note(entry), ...comparison(exchange),
    section('What I sent', [
      ...body.byte_count ? [['Body', `${bytes(body.byte_count)}${body.complete ? '' : ', incomplete'}`]] : [],
      ...named(exchange.fields).filter(([name]) => name.toLowerCase() !== 'authorization'),
    ], ...[exchange.query_problem, body.problem].filter(problem => !isSaid(problem, exchange))),
    section('Who I was', [
      ...exchange.needed.some(({name}) => name === 'Authorization') ? [] : [['Authorization', field(exchange.fields, 'authorization') ?? 'none']],
      ...exchange.token ? [['Token', stateOf(exchange)]] : [], ['Address', exchange.peer],
    ]),
    section('What came back', named(response?.fields)), ...picture(exchange), ...text(response),
    element('h3', {}, 'Send it, or show it to others'),
    element('div', {class: 'row'},
      button('Send again', async () => again.replaceChildren(...(await import('./send.js')).form(entry))),
      copy('curl'), copy('Swift'), copy('Markdown')),
    again, copied,
  ]
}

/** Whether the note says a problem already, in whatever case its first letter is. */
const isSaid = (problem, exchange) => Boolean(problem && why(exchange)?.toLowerCase().includes(problem.toLowerCase()))

function note(entry) {
  const {exchange} = entry
  const [reason, ...rest] = [why(exchange), secretly(exchange)].filter(Boolean)
  if (!reason) return []
  const [more, todo] = [element('p', {}, ...rest), element('p', {}, advice(exchange))]
  if (exchange.error === 'unknown_email') alike(entry).then(text => { more.append(text) }).catch(() => {})
  return [element('div', {class: `note ${kind(exchange)}`}, element('p', {}, element('strong', {}, reason)), more, ...excerpt(exchange), todo)]
}

/** The body around the mistake, with a caret below. */
function excerpt({body: {excerpt}}) {
  if (!excerpt) return []
  const {before, after} = excerpt
  return [element('pre', {class: 'excerpt', tabindex: 0, role: 'group', 'aria-label': 'The body around the mistake'},
    `${before}${after}\n${' '.repeat([...before].length)}^`)]
}

/** The address of a user that differs from the sent one by capitals and spaces only. */
async function alike({world, exchange}) {
  const plain = email => String(email).trim().toLowerCase()
  const {users} = await control('state?base64=false', 'GET', undefined, world)
  const found = users.find(({email}) => plain(email) === plain(parameters(exchange).email))
  return found ? `There is ${found.email}: the difference is in capitals or spaces. ` : ''
}

/** What was sent and what is needed, side by side. */
function comparison(exchange) {
  const sent = flat(parameters(exchange))
  const {needed, body} = exchange
  const isRead = !body.problem && !exchange.query_problem
  // The rest of the reason says what was there instead.
  const named = why(exchange)?.split(';')[0].match(/\w+/g) ?? []
  // Notes takes the members of an object without the object.
  const mayIgnore = isRead && needed.every(({name, value}) => !value.startsWith('object') || name in parameters(exchange))
  const isMultipart = /^multipart/i.test(field(exchange.fields, 'content-type') ?? '')
  const rows = needed.map(({name, value: kind}) => {
    const isField = name === 'Authorization'
    const value = isField ? field(exchange.fields, 'authorization') : parameters(exchange)[name]
    const isRight = isField ? !/_(credentials|token)$|refreshable/.test(exchange.error)
      : kind.startsWith('file') === isFile(value) && !named.includes(name) && (!/^encrypted/.test(kind) || value === 'decrypts: yes')
    if (value != null) return [name, shown(value), isRight ? `✓ ${kind}` : kind, isRight ? '' : 'bad']
    const isUnread = !isRead && !isField
    return [name, isUnread ? 'not read' : value === null ? 'null' : 'missing', kind,
      isUnread || /optional/.test(kind) || exchange.status < 400 ? 'faint' : 'bad']
  })
  const others = Object.entries(sent).filter(([name]) => !needed.some(one => one.name === name.split('.')[0]))
  rows.push(...others.map(([name, value]) => [name, shown(value), mayIgnore && needed.length ? 'ignored' : '', 'faint']))
  if (!rows.length) return []
  const cells = (name, ...texts) => texts.map(text => element(name, name === 'th' ? {scope: 'col'} : {}, text))
  return [element('table', {class: 'compared', 'aria-label': 'What was sent, and what is needed'},
    element('thead', {}, element('tr', {}, ...cells('th', isMultipart ? 'Field or part' : 'Field or parameter', 'Sent', 'Needed'))),
    element('tbody', {}, ...rows.map(([name, sent, needed, kind]) =>
      element('tr', {class: kind}, ...cells('td', name, sent, needed)))))]
}

/** Names with dots for what is inside of objects. */
const flat = (members, prefix = '') => Object.assign({}, ...Object.entries(members).map(([name, value]) =>
  value && typeof value === 'object' && !isFile(value) && !Array.isArray(value)
    ? flat(value, `${prefix}${name}.`) : {[prefix + name]: value}))

const shown = value => isFile(value) ? `${value.filename ?? 'file'}, ${bytes(value.byte_count)}, ${value.content_type}`
  : typeof value === 'object' ? JSON.stringify(value) : String(value)

function picture({method, path, status}) {
  const id = path.match(/^\/photos\/([A-Za-z0-9_-]+)$/)?.[1]
  if (!id || method !== 'GET' || ![200, 206, 304].includes(status)) return []
  const image = element('img', {src: `/__admin/photos/${id}`, alt: `The photo ${id}`})
  image.addEventListener('error', () => image.replaceWith(element('p', {class: 'faint'}, 'The photo was deleted.')))
  return [image]
}

/** The text of a response. */
function text(response) {
  if (!response || response.byte_count === 0 || response.byte_count && response.text == null) return []
  return [response.text == null
    ? element('p', {class: 'faint'}, 'This list was too long to be recorded.')
    : element('pre', {tabindex: 0, role: 'group', 'aria-label': 'Response body'}, indented(response.text))]
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const named = fields => (fields ?? []).map(({name, value}) => [name, value])

function section(title, list, ...problems) {
  const shown = list.filter(([, value]) => value != null)
  return element('section', {},
    element('h3', {}, title),
    element('dl', {}, ...shown.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])),
    ...problems.filter(Boolean).map(problem => element('p', {class: 'bad'}, problem)))
}
