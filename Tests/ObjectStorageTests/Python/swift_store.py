"""OpenStack Swift behind its S3 interface, with all of its servers in this process: an object store that checks
signatures. Prints a line of JSON once it listens, and ends with its input.

With a folder as its argument it keeps the objects there, so that it can be killed and started again. Lines of its input
are answered by a line of JSON: `objects` by the sizes of the objects by their keys, `quota BYTES` by null. A quota of -1
is none."""
import array
import json
import os
import sys
import tempfile

import eventlet
from eventlet import hubs, wsgi
from swift.common import utils

utils.eventlet_monkey_patch()
# It salts the paths of objects, and Swift refuses to run without one.
utils.HASH_PATH_SUFFIX = b"tests"

from swift.account.server import AccountController
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.middleware.container_quotas import ContainerQuotaMiddleware
from swift.common.middleware.s3api.s3api import S3ApiMiddleware
from swift.common.middleware.tempauth import TempAuth
from swift.common.ring import RingData
from swift.common.swob import Request
from swift.container.server import ContainerController
from swift.obj.diskfile import read_metadata
from swift.obj.server import ObjectController
from swift.proxy.server import Application

REGION, BUCKET, SECRET = "eu-central-1", "selfies", "testing-testing"


class Cache:
    """What Swift keeps in memcached, which tempauth cannot do without."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def delete(self, key, **_):
        self.values.pop(key, None)


def serve(app):
    """Returns the port."""
    listener = eventlet.listen(("127.0.0.1", 0))
    eventlet.spawn(
        wsgi.server, listener, app, utils.NullLogger(), protocol=SwiftHttpProtocol,
        capitalize_response_headers=False)
    return listener.getsockname()[1]


def objects(folder):
    """From the files, since the list of a container may lag behind after a crash."""
    found = {}
    for path, _, files in os.walk(f"{folder}/device/objects"):
        # Names begin with the time. A deleted object has a tombstone.
        newest = max((name for name in files if name.endswith((".data", ".ts"))), default="")
        if newest.endswith(".data"):
            metadata = read_metadata(f"{path}/{newest}")
            found[metadata["name"].split("/", 3)[3]] = int(metadata["Content-Length"])
    return found


def main(folder):
    os.makedirs(f"{folder}/device", exist_ok=True)
    conf = {
        "devices": folder,
        "swift_dir": folder,
        "mount_check": "false",
        "fallocate_reserve": "0",
        "account_autocreate": "true",
        "location": REGION,
        # A bucket may be named in the host, too: BUCKET.localhost.
        "storage_domain": "localhost",
        "user_tests_tests": f"{SECRET} .admin",
    }
    servers = {"account": AccountController, "container": ContainerController, "object": ObjectController}
    for kind, server in servers.items():
        place = {"ip": "127.0.0.1", "port": serve(server(conf)), "device": "device"}
        place.update(replication_ip=place["ip"], replication_port=place["port"])
        device = dict(place, id=0, region=1, zone=1, weight=1.0, meta="")
        # One partition, which is on the only device.
        RingData([array.array("H", [0])], [device], 32).save(f"{folder}/{kind}.ring.gz")

    proxy, cache = Application(conf), Cache()
    store = S3ApiMiddleware(TempAuth(ContainerQuotaMiddleware(proxy), conf), conf)

    def application(environ, start_response):
        environ["swift.cache"] = cache
        return store(environ, start_response)

    def change_bucket(method, **headers):
        request = Request.blank(
            f"/v1/AUTH_tests/{BUCKET}", environ={"REQUEST_METHOD": method, "swift.cache": cache}, headers=headers)
        response = request.get_response(proxy)
        if not response.is_success:
            sys.exit(f"The bucket cannot be changed: {response.status}")

    change_bucket("PUT")
    ready = {
        "port": serve(application),
        "bucket": BUCKET,
        "region": REGION,
        "accessKeyID": "tests:tests",
        "secretAccessKey": SECRET,
    }
    print(json.dumps(ready), flush=True)
    while True:
        hubs.trampoline(sys.stdin.fileno(), read=True)
        words = sys.stdin.readline().split()
        if not words:
            return
        if words[0] == "quota":
            quota = words[1] if int(words[1]) >= 0 else ""
            change_bucket("POST", **{"X-Container-Meta-Quota-Bytes": quota})
        print(json.dumps(objects(folder) if words[0] == "objects" else None), flush=True)


if len(sys.argv) > 1:
    main(sys.argv[1])
else:
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
