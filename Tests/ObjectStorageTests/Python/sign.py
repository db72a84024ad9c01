"""Signs requests with botocore: a JSON object in each line of standard input, and its signature in a line of output."""
import datetime
import json
import sys
from urllib.parse import quote, urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

for line in sys.stdin:
    case = json.loads(line)
    now = datetime.datetime.fromtimestamp(case["seconds"], datetime.timezone.utc)
    botocore.auth.get_current_datetime = lambda *_, **__: now
    credentials = Credentials(case["accessKeyID"], case["secretAccessKey"])
    # As botocore's serializer encodes a key.
    path = quote(bytes.fromhex(case["path"]), safe="/~")
    request = AWSRequest(case["method"], f"https://{case['host']}{path}")
    query = [(pair["name"], pair["value"]) for pair in case["query"]]
    if "validFor" in case:
        request.params = dict(query)
        botocore.auth.S3SigV4QueryAuth(credentials, "s3", case["region"], expires=case["validFor"]).add_auth(request)
        print("&".join(sorted(urlsplit(request.url).query.split("&"))))
        continue
    request.params = query
    for field in case["headers"]:
        request.headers.add_header(field["name"], field["value"])
    request.data = bytes.fromhex(case.get("payload", ""))
    request.context["client_config"] = Config(s3={"payload_signing_enabled": "payload" in case})
    botocore.auth.S3SigV4Auth(credentials, "s3", case["region"]).add_auth(request)
    print(request.headers["Authorization"])
