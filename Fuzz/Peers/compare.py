#!/usr/bin/env python3
"""Reads random multipart bodies with this server's parser and with those of today, and prints where it differs.

    Fuzz/Peers/compare.py [BODIES [SEED]]     (20,000 bodies by default; 1 is the first seed)

Needs Debian's ruby-rack and golang-go, and from PyPI Werkzeug, python-multipart and multipart (which `compare.py` finds
where Python does). A body counts if all peers read it alike. Then this server has to read it alike, or a rule of REASONS
has to say why not. Prints the first bodies for which none does, how many bodies there were of each kind, and exits with 1
if there was such a body.
"""
import base64, collections, io, json, os, random, re, subprocess, sys

import multipart, werkzeug.formparser, werkzeug.http
from python_multipart.multipart import MultipartParser, parse_options_header

here = os.path.dirname(os.path.abspath(__file__))
TYPE = b"multipart/form-data; boundary=B"


class Peer:
    """A program that answers each line with a line."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, body):
        self.process.stdin.write(" ".join(base64.b64encode(text).decode() for text in (TYPE, body)) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer.get("error"):
            raise ValueError(answer["error"])
        return [(p.get("name"), p.get("filename"), base64.b64decode(p["data"])) for p in answer["parts"]]


def read_by_werkzeug(body):
    boundary = werkzeug.http.parse_options_header(TYPE.decode())[1]["boundary"].encode()
    form, files = werkzeug.formparser.MultiPartParser().parse(io.BytesIO(body), boundary, len(body))
    fields = [(name, None, value.encode()) for name, value in form.items(multi=True)]
    return fields + [(name, file.filename, file.read()) for name, file in files.items(multi=True)]


def read_by_multipart(body):
    parser = multipart.MultipartParser(io.BytesIO(body), multipart.parse_options_header(TYPE.decode())[1]["boundary"])
    return [(part.name, part.filename, part.raw) for part in parser]


def read_by_python_multipart(body):
    parts, field, value, ended = [], [], [], []

    def begin():
        parts.append([{}, b""])

    def end_of_field():
        parts[-1][0][b"".join(field).lower()] = b"".join(value)
        field.clear(), value.clear()

    def data(bytes, start, end):
        parts[-1][1] += bytes[start:end]

    parser = MultipartParser(b"B", {
        "on_part_begin": begin, "on_part_data": data, "on_header_end": end_of_field, "on_end": lambda: ended.append(1),
        "on_header_field": lambda bytes, start, end: field.append(bytes[start:end]),
        "on_header_value": lambda bytes, start, end: value.append(bytes[start:end])})
    parser.write(body)
    parser.finalize()
    if not ended:
        raise ValueError("no end")
    text = lambda bytes: None if bytes is None else bytes.decode()
    options = [(parse_options_header(fields.get(b"content-disposition"))[1], content) for fields, content in parts]
    return [(text(found.get(b"name")), text(found.get(b"filename")), content) for found, content in options]


# Where the server reads on purpose otherwise than all the others do.
REASONS = {
    "a semicolon may be missing before a parameter (nothing else can be meant)": rb"[^;\s]\s+[^\s;=\"]+\s*=",
    "a part without a head is ignored (contract: no-part-headers)": rb"--B[ \t]*\r\n\r\n",
    "a value without quotation marks ends at the semicolon (rack 3)": rb'name\s*=\s*[^\s"]',
    "a delimiter may follow a head at once (RFC 2046 §5.1: a part may have no body)": rb"\r\n\r\n--B",
    "white space may stand around =, and fold a field (RFC 5322 §2.2.3)": rb"\s=|=\s",
    "the type of a disposition, and the other fields of a head, are not looked at": rb'Disposition:\s*[;"]|\n[^\r\nC][^\r\n]*:',
    "bare CR or LF, or another control character in a head (RFC 7578 §4.2, RFC 5322 §2.2)": rb"(?s)--B[ \t]*\r\n(?:[^\r\n]*\r\n)*?[^\r\n]*(?:\r(?!\n)|(?<!\r)\n|[\0\x01])",
    "a parameter is given twice (two programs could each use another)": rb"(?i)name=[^\r\n]*;\s*name=|filename=[^\r\n]*;\s*filename=",
    "the original took quotation marks within a file's name (contract: inner-quotes)": rb'filename="[^"]*"\s*[^;\s]',
    "a path is reduced to its last part (contract: windows-path, unix-path)": rb"filename=[^\r\n]*[\\/]",
    "a % is decoded where each begins an escape (contract: percent-encoded)": rb"filename=[^\r\n]*%",
}

WORDS = [
    b"--B", b"\r\n--B\r\n", b"\r\n--B--", b"\r\n--B--\r\n", b"\r\n--Bx", b"\r\n--B \r\n", b"--", b"\r\n", b"\r", b"\n", b" ", b"\t", b"x",
    b"\xff\x00", b"\r\n\r\n", b"Content-Disposition: form-data; name=\"title\"\r\n\r\n", b"Content-Type: text/plain\r\n",
    b"\r\n--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nt",
]
PIECES = [
    b"; ", b";", b" ;", b"  ", b"\r\n ", b"=", b" = ", b'"', b"\\", b"\\\"", b"name", b"name=\"image\"", b"filename=\"a.png\"", b"filename=a.png",
    b"filename*=UTF-8''b.png", b"a b", b"%20", b"%", b"+", b"\xc3\xbc", b"/", b"NAME=", b"x=\"name=1\"", b"form-data",
]


def random_body(choice):
    """An upload in which a few places are random."""
    some = lambda words, most: b"".join(choice.choice(words) for _ in range(choice.randrange(most + 1)))
    parameters = b'form-data; name="image"; filename="a.png"'
    if choice.random() < 0.6:
        cut = choice.randrange(len(parameters) + 1)
        parameters = parameters[:cut] + some(PIECES, 4) + parameters[min(len(parameters), cut + choice.randrange(12)):]
    data = some(WORDS, 5) if choice.random() < 0.7 else b"photo"
    first = some(WORDS, 2) if choice.random() < 0.2 else b""
    last = choice.choice([b"\r\n--B--\r\n"] * 6 + [b"\r\n--B--", b"\r\n--B-- \r\nepilogue", b"\r\n--B", b""])
    return (first + b"--B\r\nContent-Disposition: " + parameters + b"\r\n\r\n" + data
            + b'\r\n--B\r\nContent-Disposition: form-data; name="title"\r\n\r\nt' + last)


def normal(read, body):
    """The image and the title, the last of each, as the server uses them; None if it refuses the body, or one is missing."""
    try:
        parts = read(body)
    except Exception:
        return None
    images = [(filename, data) for name, filename, data in parts if name == "image" and filename]
    titles = [data for name, filename, data in parts if name == "title" and filename is None]
    return (images[-1], titles[-1]) if images and titles else None


def main():
    count, seed = (int(text) for text in (sys.argv[1:] + ["20000", "1"][len(sys.argv) - 1:])[:2])
    subprocess.run(["go", "build", "-o", f"{here}/../.build/multipart-go", f"{here}/multipart.go"], check=True)
    ours = Peer(f"{here}/../.build/release/ReadMultipart")
    peers = [read_by_werkzeug, read_by_multipart, read_by_python_multipart, Peer("ruby", f"{here}/rack.rb"),
             Peer(f"{here}/../.build/multipart-go")]
    kinds, choice, unexplained = collections.Counter(), random.Random(seed), 0
    for _ in range(count):
        body = random_body(choice)
        readings = [normal(peer, body) for peer in peers]
        mine = normal(ours, body)
        if any(reading != readings[0] for reading in readings):
            kinds["the peers disagree: " + ("refused" if mine is None else "read")] += 1
        elif mine == readings[0]:
            kinds["all agree: " + ("refused" if mine is None else "read")] += 1
        else:
            reason = next((reason for reason, pattern in REASONS.items() if re.search(pattern, body)), None)
            kinds[reason or "UNEXPLAINED"] += 1
            unexplained += reason is None
            if reason is None and unexplained <= 10:
                print(f"{body!r}\n  peers: {readings[0]}\n  ours:  {mine}")
    for kind, number in kinds.most_common():
        print(f"{number:7}  {kind}")
    sys.exit(unexplained > 0)


if __name__ == "__main__":
    main()
