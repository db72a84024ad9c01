// The request that is open. Loaded with the first one.
import {command, quoted, variable} from './curl.js'
import {element} from './dom.js'
import {bytes, time} from './format.js'
import {age, explain} from './reasons.js'
import {chip, kind} from './requests.js'
import {copies} from './widgets.js'

/** An exchange in full. */
export function opened({world, exchange}, close) {
  const reason = explain(exchange)
  const code = element('code', {}, curl(exchange, world))
  const copy = element('button', {type: 'button', class: 'plain small'}, 'Copy')
  copies(copy, () => code.textContent)
  return [
    element('p', {class: 'back'},
      element('button', {type: 'button', class: 'plain small', onclick: close}, '‹ All requests')),
    element('h2', {}, `${exchange.method} ${exchange.path}`),
    element('p', {class: 'facts'}, chip(exchange), element('span', {}, `${exchange.duration_milliseconds} ms`),
      element('span', {class: 'faint'}, time(exchange.time)), element('span', {class: 'faint'}, `from ${exchange.peer}`),
      element('span', {class: 'faint'}, `world ${world || 'main'}`)),
    ...reason ? [element('div', {class: `note ${kind(exchange)}`},
      element('p', {}, element('strong', {}, reason.why)), element('p', {}, reason.advice))] : [],
    ...picture(exchange), ...body(exchange.response),
    pairs('Response header fields', named(exchange.response?.fields)),
    pairs('Credentials', credentials(exchange)),
    pairs('Query', parameters(exchange.query), exchange.query_problem),
    pairs('Request body', [
      ...parameters(exchange.body.parameters),
      ...exchange.body.byte_count
        ? [['Size', `${bytes(exchange.body.byte_count)}${exchange.body.complete ? '' : ', incomplete'}`]] : [],
    ], exchange.body.problem),
    pairs('Request header fields', named(exchange.fields)),
    element('h3', {}, 'The request as curl'), element('pre', {}, code),
    element('div', {class: 'row'}, copy, element('button', {
      type: 'button', class: 'plain small', onclick: async () => (await import('./har.js')).save([{world, exchange}]),
    }, 'Save as HAR')),
  ]
}

/** The photo in a response, if it still exists. */
function picture({method, path, status}) {
  const id = path.match(/^\/photos\/([A-Za-z0-9_-]+)$/)?.[1]
  if (!id || method !== 'GET' || ![200, 206, 304].includes(status)) return []
  const image = element('img', {src: `/__admin/photos/${id}`, alt: `The photo ${id}`})
  image.addEventListener('error', () => image.replaceWith(element('p', {class: 'faint'}, 'The photo was deleted.')))
  return [element('section', {}, element('h3', {}, 'Photo'), image)]
}

/** The text of a response. */
function body(response) {
  if (!response || response.byte_count === 0 || response.byte_count && response.text == null) return []
  return [element('section', {}, element('h3', {}, 'Response body'), response.text == null
    ? element('p', {class: 'faint'}, 'This list was too long to be recorded.')
    : element('pre', {tabindex: 0}, indented(response.text)))]
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const named = fields => (fields ?? []).map(({name, value}) => [name, value])

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
  const states = {valid: age(exchange).replace('is ', ''), expired: age(exchange), refreshed: 'already refreshed'}
  return [['Token', `${states[token.state] ?? token.state}${of}`]]
}

/** Names with dots for what is inside of objects, files as one line. */
function parameters(members, prefix = '') {
  return Object.entries(members ?? {}).flatMap(([name, value]) => {
    const path = prefix + name
    if (isFile(value)) return [[path, `${value.filename ?? 'file'}, ${bytes(value.byte_count)}, ${value.content_type}`]]
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
  else if (/^bearer/i.test(authorization)) words.push(`-H ${variable('Authorization: Bearer $TOKEN')}`)
  else if (authorization) words.push(`-H ${variable('Authorization: Token token=$TOKEN')}`)
  for (const name of ['Range', 'If-None-Match', 'X-HTTP-Method-Override']) {
    const value = field(name.toLowerCase())
    if (value) words.push(`-H ${quoted(`${name}: ${value}`)}`)
  }
  const type = field('content-type').split(';')[0].trim().toLowerCase()
  const body = plain(exchange.body.parameters)
  if (!Object.keys(body).length) return command(...words)
  if (type.startsWith('multipart/')) {
    // The client chose the name of its file, and curl would read the file of that name here.
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
