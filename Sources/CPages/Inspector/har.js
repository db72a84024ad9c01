// HTTP Archive 1.2: the exchanges as the developer tools of browsers read them. Secrets are masked, as in the journal.

const pairs = object => Object.entries(object ?? {}).map(([name, value]) =>
  ({name, value: typeof value === 'object' ? JSON.stringify(value) : String(value)}))

export const har = entries => ({
  log: {
    version: '1.2', creator: {name: 'selfie-server', version: '1'},
    entries: [...entries].reverse().map(({world, exchange}) => entry(exchange, world)),
  },
})

/** A body as it may have been: the journal has its parameters only. */
function written(type, parameters) {
  if (/^multipart/i.test(type)) return ''
  return /json/i.test(type) ? JSON.stringify(parameters)
    : new URLSearchParams(pairs(parameters).map(({name, value}) => [name, value])).toString()
}

const type = fields => fields?.find(({name}) => name.toLowerCase() === 'content-type')?.value

function entry(exchange, world) {
  const {path, query, fields, body, status, response, duration_milliseconds: duration} = exchange
  const search = new URLSearchParams(pairs(query).map(({name, value}) => [name, value])).toString()
  const sent = type(fields)
  const size = response?.byte_count ?? -1
  return {
    startedDateTime: exchange.time, time: duration, cache: {}, timings: {send: 0, wait: duration, receive: 0},
    comment: `world ${world || 'main'}`,
    request: {
      method: exchange.method, url: location.origin + path + (search && `?${search}`), httpVersion: 'HTTP/1.1', cookies: [],
      headers: fields, queryString: pairs(query), headersSize: -1, bodySize: body.byte_count,
      ...sent && {postData: {mimeType: sent, params: pairs(body.parameters), text: written(sent, body.parameters)}},
    },
    response: {
      status: status ?? 0, statusText: '', httpVersion: 'HTTP/1.1', cookies: [], headers: response?.fields ?? [],
      content: {size, mimeType: type(response?.fields) ?? '', ...response?.text != null && {text: response.text}},
      redirectURL: '', headersSize: -1, bodySize: size,
    },
  }
}

/** Saves an archive as a file. */
export function save(entries) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([JSON.stringify(har(entries), null, 2)], {type: 'application/json'}))
  link.download = 'selfie-server.har'
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}
