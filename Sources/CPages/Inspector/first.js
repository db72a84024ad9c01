// What stands in place of an empty list: the constants of an app, and a request to look at.
import {send} from './call.js'
import {constants} from './constants.js'
import {hasWorld, shown} from './control.js'
import {find} from './dom.js'
import {copies} from './widgets.js'

const response = await fetch(`${location.origin}/`, {headers: {Accept: 'application/json, */*;q=0.1'}}).catch(() => null)
const {api_auth_name: name, api_auth_password: password} = response?.ok ? await response.json() : {}
find('constants').textContent = constants(name, password)
copies(find('copy-constants'), () => find('constants').textContent)

// Its password is not encrypted, so it stores nothing.
const example = {full_name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical'}
find('send-example').addEventListener('click', () => send({
  method: 'POST', url: `${location.origin}/api/signup`, isBasic: Boolean(password), type: 'application/json',
  fields: hasWorld() && shown.world ? [['X-Test-World', shown.world]] : [], members: Object.entries(example),
}, {name, password}).catch(() => {}))
