// The eight endpoints of the tutorial, in the order of its articles, and what each needs.
const api = {isBasic: true}
const user = {token: 'Token token=$TOKEN'}

export const endpoints = [
  {
    method: 'POST', name: 'signup', text: 'Creates an account.', ...api,
    members: ({name, email}) => ({full_name: name, email, password: '$PASSWORD'}),
  },
  {
    method: 'POST', name: 'signin', text: 'Returns a token, which the user’s later requests send.', ...api,
    members: ({email}) => ({email, password: '$PASSWORD'}),
  },
  {
    method: 'GET', name: 'get_token', button: 'Get a token', ...api, query: ({email}) => `?email=${encodeURIComponent(email)}`,
    text: 'Returns another token, for example after the first has expired. The setting GET_TOKEN can restrict it.',
  },
  {
    method: 'POST', name: 'reset_password', button: 'Change the password', ...user,
    text: 'Changes the user’s password, and ends all earlier tokens.',
    members: () => ({old_password: '$PASSWORD', new_password: '$NEW_PASSWORD'}),
  },
  {
    method: 'POST', name: 'upload_photo', text: 'Stores a photo. Once the response arrives, the photo is on disk.', ...user,
    type: 'multipart/form-data', members: ({photo, title}) => ({image: photo, title}),
  },
  {method: 'GET', name: 'get_photos', text: 'Lists the photos of the signed-in user.', ...user},
  {
    method: 'DELETE', name: 'delete_photo', button: 'Delete the first photo', text: 'Deletes a photo by its random_id.', ...user,
    members: () => ({photo_id: '$RANDOM_ID'}),
  },
  {method: 'GET', name: 'clear_token', button: 'Sign out', text: 'Ends the token.', ...user},
]
