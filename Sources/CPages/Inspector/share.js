// A request as others read it: a command for a shell, Swift, and a report in Markdown. Variables stand where the journal has
// masked a secret. Loaded when one of them is copied.
import {curl as command, isFile} from './call.js'
import {placeholder} from './curl.js'
import {field, why} from './exchange.js'
import {milliseconds} from './format.js'
import {advice} from './reasons.js'

/** Fields that change the response, besides those of the credentials and of the body. */
const kept = ['Range', 'If-None-Match', 'X-HTTP-Method-Override']

/** A request of the journal as call.js has it. */
export function request({world, exchange}) {
  const query = new URLSearchParams(Object.entries(plain(exchange.query))).toString()
  const authorization = field(exchange.fields, 'authorization') ?? ''
  const fields = kept.map(name => [name, field(exchange.fields, name.toLowerCase())]).filter(([, value]) => value)
  if (world) fields.unshift(['X-Test-World', world])
  return {
    method: exchange.method, url: location.origin + exchange.path + (query && `?${query}`), fields,
    isBasic: /^basic/i.test(authorization),
    token: !authorization || /^basic/i.test(authorization) ? ''
      : /^bearer/i.test(authorization) ? 'Bearer $TOKEN' : 'Token token=$TOKEN',
    type: (field(exchange.fields, 'content-type') ?? '').split(';')[0].trim().toLowerCase(),
    members: Object.entries(plain(exchange.body.parameters)),
  }
}

/** Parameters with a variable for each secret. */
function plain(parameters) {
  return Object.fromEntries(Object.entries(parameters ?? {}).map(([name, value]) => {
    if (/^decrypts: /.test(value)) return [name, '$PASSWORD']
    return [name, value === '(…)' ? '$TOKEN' : value]
  }))
}

/** A text as a literal of Swift, with a constant of the app for each variable. */
const literal = text => `"${String(text).split(placeholder).map((part, index) => index % 2 ? `\\(${part.slice(1)})`
  : part.replace(/["\\]/g, '\\$&').replace(/[\0-\x1f\x7f]/g, letter => `\\u{${letter.charCodeAt().toString(16)}}`)).join('')}"`

export const curl = entry => command(request(entry))

export function swift(entry) {
  const {method, url, fields, isBasic, token, type, members} = request(entry)
  const set = (name, value) => `request.setValue(${value}, forHTTPHeaderField: ${literal(name)})`
  const lines = [`var request = URLRequest(url: URL(string: ${literal(url)})!)`, `request.httpMethod = ${literal(method)}`]
  if (isBasic) {
    lines.push('let credentials = Data("\\(API_AUTH_NAME):\\(API_AUTH_PASSWORD)".utf8).base64EncodedString()',
      set('Authorization', '"Basic \\(credentials)"'))
  }
  if (token) lines.push(set('Authorization', literal(token)))
  for (const [name, value] of fields) lines.push(set(name, literal(value)))
  if (members.length && type.startsWith('multipart/')) {
    lines.push('let boundary = UUID().uuidString', set('Content-Type', '"multipart/form-data; boundary=\\(boundary)"'), 'var body = Data()')
    for (const [name, value] of members) {
      const disposition = `--\\(boundary)\\r\\nContent-Disposition: form-data; name=\\"${literal(name).slice(1, -1)}\\"`
      lines.push(isFile(value)
        ? `body += Data("${disposition}; filename=\\"photo.jpg\\"\\r\\nContent-Type: image/jpeg\\r\\n\\r\\n".utf8) + photo + Data("\\r\\n".utf8)`
        : `body += Data("${disposition}\\r\\n\\r\\n${literal(value).slice(1, -1)}\\r\\n".utf8)`)
    }
    lines.push('body += Data("--\\(boundary)--\\r\\n".utf8)', 'request.httpBody = body')
  } else if (members.length) {
    const isForm = type === 'application/x-www-form-urlencoded'
    lines.push(set('Content-Type', literal(type)), isForm
      // Base64 has characters that a form means otherwise.
      ? `request.httpBody = Data(${literal(new URLSearchParams(members).toString().replaceAll('%24', '$'))
        .replace(/\\\((\w+)\)/g, '\\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)')}.utf8)`
      : `request.httpBody = Data(${literal(JSON.stringify(Object.fromEntries(members)))}.utf8)`)
  }
  return [...lines, 'let (data, response) = try await URLSession.shared.data(for: request)'].join('\n')
}

/** A report for the authors of the app. */
export function markdown(entry) {
  const {method, path, status, time, fields, response, duration_milliseconds: duration} = entry.exchange
  const fence = (language, text) => {
    const marks = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map(run => run.length + 1)))
    return `${marks}${language}\n${text}\n${marks}`
  }
  const lines = list => (list ?? []).map(({name, value}) => `${name}: ${value}`).join('\n')
  const reason = why(entry.exchange)
  return [
    `### ${method} ${path}: ${status ?? 'no response'}`, `${time}, ${milliseconds(duration)} ms`,
    ...reason ? [`**${reason}** ${advice(entry.exchange)}`.trim()] : [],
    'Sent:', fence('http', lines(fields)), fence('sh', curl(entry)), 'Came back:', fence('http', lines(response?.fields)),
    ...response?.text ? [fence('', response.text)] : [],
  ].join('\n\n')
}
