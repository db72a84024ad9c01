"""moto, an object store that checks signatures. Prints a line of JSON once it listens, and ends with its input."""
import json
import sys

from moto import settings
from moto.core import DEFAULT_ACCOUNT_ID
from moto.iam.models import iam_backends
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer

REGION, BUCKET, USER = "eu-central-1", "selfies", "tests"
POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}

# Moto checks nothing unless there is a user with a policy, and unless it is told from which request on.
iam = iam_backends[DEFAULT_ACCOUNT_ID]["aws"]
iam.create_user(REGION, USER)
iam.put_user_policy(USER, "all", json.dumps(POLICY))
key = iam.create_access_key(USER)
s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(BUCKET, REGION)
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
ready = {
    "port": server.get_host_and_port()[1],
    "bucket": BUCKET,
    "region": REGION,
    "accessKeyID": key.access_key_id,
    "secretAccessKey": key.secret_access_key,
}
print(json.dumps(ready), flush=True)
sys.stdin.read()
