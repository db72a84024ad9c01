"""The apps' requests, sent by the client that openapi-python-client generates from Docs/openapi.yaml.

Usage: flow.py ADDRESS API-NAME API-PASSWORD OLD-PASSWORD NEW-PASSWORD, the last two as `selfie-server encrypt` prints them.
"""

import base64
import io
import sys

from selfie_server_client import AuthenticatedClient, Client, models
from selfie_server_client.api.accounts import clear_token, get_token, refresh_token, reset_password, sign_in, sign_up
from selfie_server_client.api.microblog import create_post, list_authors, list_posts, log_in, log_out, register_author
from selfie_server_client.api.notes import create_note, delete_note, list_notes, patch_note, show_note, update_note
from selfie_server_client.api.photos import delete_photo, download_photo, get_photos, upload_photo
from selfie_server_client.api.server import check_health, check_readiness
from selfie_server_client.types import File

address, api_name, api_password, old, new = sys.argv[1:]
email, photo = "python@example.com", bytes(range(256)) * 300


def basic(name, password):
    encoded = base64.b64encode(f"{name}:{password}".encode()).decode()
    return AuthenticatedClient(base_url=address, token=encoded, prefix="Basic")


def check(response, status, kind=None):
    """What a response contains, if it has the expected status and type."""
    found = (int(response.status_code), type(response.parsed))
    assert found[0] == status and (kind is None or found[1] is kind), (found, response.content)
    return response.parsed


api = basic(api_name, api_password)
check(check_health.sync_detailed(client=api), 200, models.CheckHealthResponse200)
check(check_readiness.sync_detailed(client=api), 200, models.CheckReadinessResponse200)
check(sign_up.sync_detailed(client=api, body=models.Signup("Ada Lovelace", email, old)), 200, models.User)
check(sign_up.sync_detailed(client=api, body=models.Signup("Ada Lovelace", email, old)), 400, models.Message)
user = check(sign_in.sync_detailed(client=api, body=models.Signin(email, old)), 200, models.User)
check(get_token.sync_detailed(client=api, email=email), 200, models.IssuedToken)

for prefix in ["Token", "Bearer"]:
    app = AuthenticatedClient(base_url=address, token=user.api_authtoken, prefix=prefix)
    file = File(io.BytesIO(photo), "selfie.png", "image/png")
    stored = check(upload_photo.sync_detailed(client=app, body=models.UploadPhotoBody(file, "Ä")), 200, models.UploadedPhoto)
    listed = check(get_photos.sync_detailed(client=app), 200)
    assert [(item.random_id, item.title) for item in listed] == [(stored.random_id, "Ä")]
    downloaded = download_photo.sync_detailed(stored.random_id, client=Client(base_url=address))
    assert check(downloaded, 200).payload.read() == photo
    part = download_photo.sync_detailed(stored.random_id, client=Client(base_url=address), range_="bytes=1-2")
    assert check(part, 206).payload.read() == photo[1:3]
    check(delete_photo.sync_detailed(client=app, photo_id=stored.random_id), 200, models.Message)
    deleted = delete_photo.sync_detailed(client=app, photo_id=stored.random_id)
    check(deleted, {"Token": 401, "Bearer": 404}[prefix], models.Message)
    user = check(refresh_token.sync_detailed(client=app), 200, models.User)

app = AuthenticatedClient(base_url=address, token=user.api_authtoken)
user = check(reset_password.sync_detailed(client=app, body=models.ResetPassword(old, new)), 200, models.User)
check(get_photos.sync_detailed(client=app), 401, models.Message)
app = AuthenticatedClient(base_url=address, token=user.api_authtoken)
check(clear_token.sync_detailed(client=app), 200, models.Message)

token = models.NotesToken.TOKEN
notes = basic(email, "secret13")
body = models.NoteBody(models.SentNote("Milk", "two bottles"))
note = check(create_note.sync_detailed(client=notes, token=token, body=body), 201, models.Note)
for change, text in [(update_note, "one"), (patch_note, "none")]:
    body = models.NoteBody(models.SentNote(body=text))
    check(change.sync_detailed(note.id, client=notes, token=token, body=body), 204)
    shown = check(show_note.sync_detailed(note.id, client=notes, token=token), 200, models.Note)
    assert (shown.title, shown.body) == ("Milk", text)
assert [item.id for item in check(list_notes.sync_detailed(client=notes, token=token), 200)] == [note.id]
check(delete_note.sync_detailed(note.id, client=notes, token=token), 204)
check(show_note.sync_detailed(note.id, client=notes, token=token), 404, models.NotesError)

author, blog = models.MicroblogAccount("python", "secret12"), Client(base_url=address)
check(register_author.sync_detailed(client=blog, body=author), 200, models.MicroblogDone)
check(register_author.sync_detailed(client=blog, body=author), 409, models.MicroblogError)
check(create_post.sync_detailed(client=blog, body=models.SentPost("Hello")), 403, models.MicroblogError)
check(log_in.sync_detailed(client=blog, body=author), 200, models.MicroblogDone)
post = check(create_post.sync_detailed(client=blog, body=models.SentPost("Hello")), 200, models.PostID)
posts = check(list_posts.sync_detailed(client=blog), 200, models.PostList).data.blogposts
assert (post.id, "Hello") in [(item.id, item.text) for item in posts]
authors = check(list_authors.sync_detailed(client=blog), 200, models.AuthorList).data.users
assert "python" in [item.name for item in authors]
check(log_out.sync_detailed(client=blog), 200, models.MicroblogDone)
check(list_authors.sync_detailed(client=blog), 403, models.MicroblogError)
print("The generated Python client works.")
