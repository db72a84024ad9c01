// The faults of the world that is shown.
import {attempt, control, on} from './control.js'
import {element, find} from './dom.js'
import {counted} from './format.js'
import {countFaults} from './state.js'

find('fault-form').addEventListener('submit', event => {
  event.preventDefault()
  attempt('fault-result', async () => {
    await control('faults', 'POST', {
      ...JSON.parse(find('effect').value), path: find('fault-path').value, count: Number(find('fault-count').value),
    })
    await list()
    return 'The fault was added.'
  })
})
on('remove-faults', 'fault-result', () => remove('faults'))

async function remove(address) {
  await control(address, 'DELETE')
  await list()
}

export const draw = () => attempt('fault-result', list)

async function list() {
  const faults = await countFaults()
  find('no-faults').hidden = faults.length > 0
  find('remove-faults').disabled = !faults.length
  find('faults').replaceChildren(...faults.map(({id, matched, fired, remaining, ...rule}) => element('li', {},
    element('span', {},
      element('code', {}, `${rule.method ?? 'any method'} ${rule.path ?? 'any path'}`), `: ${effect(rule)}`),
    element('span', {class: 'faint'},
      `changed ${fired} of ${counted(matched, 'request')}${remaining == null ? '' : remaining ? `, ${remaining} left` : ', used up'}`),
    element('button', {
      type: 'button', class: 'plain small danger', 'aria-label': `Remove fault ${id}`,
      onclick: () => attempt('fault-result', () => remove(`faults/${id}`)),
    }, 'Remove'))))
}

const moments = {
  before_handling: 'before the request is handled', before_answer: 'before the response', in_body: 'in the middle of the body',
}

/** A duration of the interface, such as `3000ms`, as `3 s`. */
const duration = text => text.replace(/^(\d+)000ms$/, '$1 s').replace(/^(\d+)ms$/, '$1 ms')

/** The effect of a rule in words. */
function effect({share, status, drop, delay, drip, truncate, malform}) {
  const late = delay?.from ? `${duration(delay.from)} to ${duration(delay.to)}` : delay && duration(delay)
  const parts = [
    status && `status ${status}`,
    drop && `the connection ends ${moments[drop] ?? drop}`,
    truncate && `the body ends after ${truncate.bytes == null ? `${100 * truncate.share} %` : `${truncate.bytes} bytes`}`,
    drip && `${drip.bytes} bytes of the body arrive every ${duration(drip.every)}`,
    malform && `the ${malform.replaceAll('_', ' ')} is malformed`,
    delay && `the response is ${late} late`,
    share < 1 && `for ${100 * share} % of the requests`,
  ]
  return parts.filter(Boolean).join(', ')
}
