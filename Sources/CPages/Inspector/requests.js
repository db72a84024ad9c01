import {command, quoted, variable} from './curl.js'
import {copies, element} from './dom.js'
import {age, explain} from './reasons.js'

/** An exchange as an item of the list: one line, which opens. */
export function item(exchange, world) {
  const status = exchange.status ?? 'no response'
  const kind = exchange.status == null || exchange.status >= 500 ? 'bad' : exchange.status >= 400 ? 'warn' : 'good'
  const details = element('details', {},
    element('summary', {},
      element('span', {class: 'faint'}, clockTime(exchange.time)),
      ' ', element('span', {class: 'method'}, exchange.method),
      ' ', element('span', {class: 'path'}, exchange.path),
      ' ', element('strong', {class: kind}, String(status)),
      ' ', element('span', {class: 'faint'}, `${exchange.duration_milliseconds} ms · ${exchange.peer} · ${world || 'main'}`)))
  // Made when it is opened: most never are.
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(inside(exchange, world))
  })
  return element('li', {'data-id': exchange.id}, details)
}

function inside(exchange, world) {
  const reason = explain(exchange)
  const code = element('code', {}, curl(exchange, world))
  const copy = element('button', {type: 'button', class: 'plain small'}, 'Copy')
  copies(copy, () => code.textContent)
  return element('div', {class: 'inside'},
    ...reason ? [element('p', {class: 'why'}, element('strong', {}, 'Why: '), reason.why),
      element('p', {}, element('strong', {}, 'What the app should do: '), reason.advice)] : [],
    pairs('Response', [
      ['Status', String(exchange.status ?? 'none')], ['X-Error', exchange.error], ['Message', exchange.message],
      ['Fault', exchange.fault == null ? null : String(exchange.fault)],
    ]),
    pairs('Credentials', credentials(exchange)),
    pairs('Parameters of the query', parameters(exchange.query), exchange.query_problem),
    pairs('Parameters of the body', [
      ...parameters(exchange.body.parameters),
      ...exchange.body.byte_count ? [['Bytes', `${exchange.body.byte_count}${exchange.body.complete ? '' : ', not all'}`]]
        : [],
    ], exchange.body.problem),
    pairs('Fields', exchange.fields.map(({name, value}) => [name, value])),
    element('h3', {}, 'The same again'), element('pre', {}, code), copy)
}

function pairs(title, list, problem) {
  const shown = list.filter(([, value]) => value != null)
  if (!shown.length && !problem) return ''
  return element('section', {},
    element('h3', {}, title),
    element('dl', {}, ...shown.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])),
    ...problem ? [element('p', {class: 'bad'}, problem)] : [])
}

/** `token: expired 3 h ago, of ada@example.com` */
function credentials(exchange) {
  const {token} = exchange
  if (!token) return []
  const of = token.email ? `, of ${token.email}` : ''
  const states = {valid: age(exchange), expired: age(exchange), refreshed: 'was refreshed before', unknown: 'is unknown'}
  return [['Token', `${states[token.state] ?? token.state}${of}`]]
}

/** Names with dots for what is inside of objects, files as one line. */
function parameters(members, prefix = '') {
  return Object.entries(members ?? {}).flatMap(([name, value]) => {
    const path = prefix + name
    if (isFile(value)) return [[path, `${value.filename ?? 'file'}, ${value.byte_count} bytes, ${value.content_type}`]]
    if (value && typeof value === 'object') return parameters(value, `${path}.`)
    return [[path, String(value)]]
  })
}

const isFile = value => value && typeof value === 'object' && 'byte_count' in value && 'content_type' in value

/** The command that sends the request again, with variables where the journal has masked a secret. */
function curl(exchange, world) {
  const field = name => exchange.fields.find(field => field.name.toLowerCase() === name)?.value ?? ''
  const query = new URLSearchParams(Object.entries(plain(exchange.query))).toString()
  const url = location.origin + exchange.path + (query ? `?${query}` : '')
  const words = [`curl -i -X ${quoted(exchange.method)} ${quoted(url)}`]
  if (world) words.push(`-H ${quoted(`X-Test-World: ${world}`)}`)
  const authorization = field('authorization')
  if (/^basic/i.test(authorization)) words.push('-u "$API_AUTH_NAME:$API_AUTH_PASSWORD"')
  else if (authorization) words.push(`-H ${variable('Authorization: Token token=$TOKEN')}`)
  const type = field('content-type').split(';')[0].trim().toLowerCase()
  const body = plain(exchange.body.parameters)
  if (!Object.keys(body).length) return command(...words)
  if (type.startsWith('multipart/')) {
    // The name of a file was chosen by somebody else, and curl would read the file of that name here.
    for (const [name, value] of Object.entries(exchange.body.parameters)) {
      words.push(isFile(value) ? `-F ${quoted(`${name}=@photo.jpg`)}` : `--form-string ${variable(`${name}=${body[name]}`)}`)
    }
  } else if (type === 'application/x-www-form-urlencoded') {
    for (const [name, value] of Object.entries(body)) words.push(`--data-urlencode ${variable(`${name}=${value}`)}`)
  } else {
    words.push(`-H ${quoted(`Content-Type: ${type}`)} --data-raw ${variable(JSON.stringify(body))}`)
  }
  return command(...words)
}

/** Parameters with a variable for each secret. */
function plain(parameters) {
  return Object.fromEntries(Object.entries(parameters ?? {}).map(([name, value]) => {
    if (value === 'decrypts: yes' || value === 'decrypts: no') return [name, '$PASSWORD']
    return [name, value === '(…)' ? '$TOKEN' : value]
  }))
}

const clockTime = text => new Date(text).toLocaleTimeString([], {hour12: false})
