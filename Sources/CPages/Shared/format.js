// Numbers and times as the reader's system writes them.

export const number = value => value == null ? '–' : value.toLocaleString()
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? '' : 's'}`

export function bytes(count) {
  if (count == null) return '–'
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let unit = 0
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1000
    unit += 1
  }
  const digits = unit ? 1 : 0
  return `${count.toLocaleString(undefined, {minimumFractionDigits: digits, maximumFractionDigits: digits})} ${units[unit]}`
}

/** Milliseconds with two digits: most requests take less than one. */
export const milliseconds = value => value.toLocaleString(undefined, {minimumFractionDigits: 2, maximumFractionDigits: 2})

// 12 or 24 hours is up to the system: `hour12` is never set.
const clock = new Intl.DateTimeFormat(undefined, {timeStyle: 'medium'})
const moment = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'medium'})
const day = new Intl.DateTimeFormat(undefined, {month: 'short', day: 'numeric'})

export const time = date => date ? moment.format(new Date(date)) : '–'

/** The time of day, after the date if that is not today's. */
export function timeOfDay(date) {
  const [then, today] = [new Date(date), new Date()]
  if (then.toDateString() === today.toDateString()) return clock.format(then)
  // A narrow column breaks between date and time only.
  return [day, clock].map(format => format.format(then).replaceAll(' ', '\u00a0')).join(' ')
}

/** A length of time in its largest unit, such as `25 h`. */
export function span(milliseconds) {
  const units = [['d', 86_400_000, 2], ['h', 3_600_000, 1], ['min', 60_000, 1], ['s', 1_000, 1]]
  const [name, size] = units.find(([, size, least]) => milliseconds >= size * least) ?? ['ms', 1]
  return `${Math.floor(milliseconds / size)} ${name}`
}

/** Shortens ids in a path in the middle: `/photos/3f9a21…77c0`. */
export const shortened = path => path.replace(/[^/]{21,}/g, id => `${id.slice(0, 6)}…${id.slice(-4)}`)
