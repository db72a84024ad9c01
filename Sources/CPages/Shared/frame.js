// The bar at the top of each page: the places to go.
import {element, find} from './dom.js'
import './notice.js'

find('late')?.remove()

const places = [['/', 'Try it'], ['/pages/docs.html', 'Documentation'], ['/__admin/', 'Inspector'], ['/owner', 'Owner']]

/** The last two are not on every server: the bar names those that this tab has seen. */
const seen = new Set(JSON.parse(sessionStorage.getItem('places') ?? '[]'))

export function showPlace(path) {
  sessionStorage.setItem('places', JSON.stringify([...seen.add(path)]))
  find('places').replaceChildren(...places
    .filter(([path], index) => index < 2 || seen.has(path))
    .map(([path, name]) => element('a', {href: path, 'aria-current': path === location.pathname ? 'page' : null}, name)))
}

showPlace(location.pathname)
