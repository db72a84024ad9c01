import {command, quoted, variable} from './curl.js'

const basic = '-u "$API_AUTH_NAME:$API_AUTH_PASSWORD"'
const json = "-H 'Content-Type: application/json'"
const authorization = ({token}) => `-H ${variable(`Authorization: Token token=${token}`)}`

const body = members => `-d ${variable(JSON.stringify(members))}`

/** The eight endpoints of the tutorial, in the order of its articles, with the curl command for what was typed. */
export const endpoints = [
  {
    method: 'POST', name: 'signup', text: 'Creates an account.',
    curl: v => command(`curl ${basic} ${quoted(`${v.base}/signup`)}`,
      json, body({full_name: v.name, email: v.email, password: v.password})),
  },
  {
    method: 'POST', name: 'signin', text: 'Returns a token, which the user’s later requests send.',
    curl: v => command(`curl ${basic} ${quoted(`${v.base}/signin`)}`,
      json, body({email: v.email, password: v.password})),
  },
  {
    method: 'GET', name: 'get_token', button: 'Get a token',
    text: 'Returns another token, for example after the first has expired. The setting GET_TOKEN can restrict it.',
    curl: v => `curl ${basic} ${quoted(`${v.base}/get_token?email=${encodeURIComponent(v.email)}`)}`,
  },
  {
    method: 'POST', name: 'reset_password', button: 'Change the password',
    text: 'Changes the user’s password, and ends all earlier tokens.',
    curl: v => command(`curl ${authorization(v)} ${quoted(`${v.base}/reset_password`)}`,
      json, body({old_password: v.password, new_password: v.newPassword})),
  },
  {
    method: 'POST', name: 'upload_photo', text: 'Stores a photo. Once the response arrives, the photo is on disk.',
    curl: v => command(`curl ${authorization(v)} ${quoted(`${v.base}/upload_photo`)}`,
      `-F image=@photo.jpg -F ${quoted(`title=${v.title}`)}`),
  },
  {
    method: 'GET', name: 'get_photos', text: 'Lists the photos of the signed-in user.',
    curl: v => `curl ${authorization(v)} ${quoted(`${v.base}/get_photos`)}`,
  },
  {
    method: 'DELETE', name: 'delete_photo', button: 'Delete the first photo', text: 'Deletes a photo by its random_id.',
    curl: v => command(`curl -X DELETE ${authorization(v)} ${quoted(`${v.base}/delete_photo`)}`,
      json, body({photo_id: v.photo})),
  },
  {
    method: 'GET', name: 'clear_token', button: 'Sign out', text: 'Ends the token.',
    curl: v => `curl ${authorization(v)} ${quoted(`${v.base}/clear_token`)}`,
  },
]
