// The bar at the top of each page: the places to go.
import {element, find} from './dom.js'
import './notice.js'

// All modules are there.
find('late')?.remove()

const places = [['/', 'Try it'], ['/pages/docs.html', 'Documentation'], ['/__admin/', 'Inspector'], ['/owner', 'Owner']]
const always = 2

/** The inspector and the owner's page exist on some servers only, so the bar names those that this tab has visited. */
const visited = new Set(JSON.parse(sessionStorage.getItem('places') ?? '[]')).add(location.pathname)
sessionStorage.setItem('places', JSON.stringify([...visited]))

find('places').replaceChildren(...places
  .filter(([path], index) => index < always || visited.has(path))
  .map(([path, name]) => element('a', {href: path, 'aria-current': path === location.pathname ? 'page' : null}, name)))
