import './frame.js'
import {find} from './dom.js'
import {copies} from './widgets.js'

copies(find('copy'), () => find('command').textContent)
const response = await fetch(`${location.origin}/`, {headers: {Accept: 'application/json, */*;q=0.1'}}).catch(() => null)
if (response?.ok) find('command').textContent = `${(await response.json()).command} owner`
