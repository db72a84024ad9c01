// The clock of the world that is shown, and the number of its faults.
import {attempt, control} from './control.js'
import {find} from './dom.js'
import {span, timeOfDay} from './format.js'

/** A clock as a text, such as `25 h ahead`. */
export function clockText({frozen, ahead_milliseconds: ahead}) {
  // A frozen clock falls behind by milliseconds at once.
  const minutes = Math.round(Math.abs(ahead) / 60_000)
  const difference = minutes ? `${span(minutes * 60_000)} ${ahead < 0 ? 'behind' : 'ahead'}` : 'real time'
  return frozen ? `frozen, ${difference}` : difference
}

let clock = null
let drawn = 0

/** Asks for the clock, or changes it, and shows it. */
export const showClock = change => attempt('clock-result', async () => {
  clock = await (change ? control('clock', 'POST', change) : control('clock'))
  drawn = performance.now()
  find('ahead').textContent = `(${clockText(clock)})`
  const freeze = find('freeze')
  freeze.textContent = clock.frozen ? 'Run' : 'Freeze'
  freeze.dataset.clock = clock.frozen ? '{"run":true}' : '{"freeze":true}'
  tick()
})

function tick() {
  if (!clock) return
  const now = new Date(Date.parse(clock.now) + (clock.frozen ? 0 : performance.now() - drawn))
  find('now').textContent = timeOfDay(now)
  find('now').dateTime = now.toISOString()
}

find('set-clock').addEventListener('click', () => {
  const date = new Date(find('clock-date').value)
  if (!isNaN(date)) showClock({set: date.toISOString()})
})

setInterval(tick, 1000)

/** Asks for the faults, and shows how many are active. */
export async function countFaults() {
  const {faults} = await control('faults')
  const active = faults.filter(({remaining}) => remaining !== 0)
  find('fault-total').hidden = !active.length
  find('fault-total').textContent = active.length
  return faults
}
