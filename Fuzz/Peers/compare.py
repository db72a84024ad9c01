#!/usr/bin/env python3
"""Reads random multipart bodies with this server's parser and with those of today, and prints where it differs.

    Fuzz/Peers/compare.py [BODIES [SEED]]     (20,000 bodies by default; 1 is the first seed)

Needs ReadMultipart (`swift build -c release --package-path Fuzz --product ReadMultipart`), and from PyPI what
requirements.txt names; uses Debian's ruby-rack and golang-go if they are there. A body counts if all peers read it alike.
Then this server has to read it alike, or a rule of REASONS has to allow this difference at this place. Prints the first
bodies for which none does, and how many bodies there were of each kind.

Each run also proves that it can fail: readers that are wrong on purpose take the server's place with the same bodies, and
each has to be found. Exits with 1 if there was a difference, or if one of those readers was not found.
"""
import base64, collections, json, logging, os, random, re, shutil, subprocess, sys

import multipart, io
from python_multipart.multipart import MultipartParser, parse_options_header
from werkzeug.http import parse_options_header as parse_field
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

here = os.path.dirname(os.path.abspath(__file__))

Sample = collections.namedtuple("Sample", "type body piece boundary is_sound")


class Peer:
    """A program that answers each line with a line."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, sample):
        texts = [base64.b64encode(text).decode() for text in (sample.type, sample.body)]
        self.process.stdin.write(" ".join(texts + [str(sample.piece)]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer.get("error"):
            raise ValueError(answer["error"])
        return [(p.get("name"), p.get("filename"), base64.b64decode(p["data"])) for p in answer["parts"]]


def read_by_werkzeug(sample):
    decoder = MultipartDecoder(parse_field(sample.type.decode())[1]["boundary"].encode())
    decoder.receive_data(sample.body)
    decoder.receive_data(None)
    parts = []
    while not isinstance(event := decoder.next_event(), Epilogue):
        if isinstance(event, NeedData):
            raise ValueError("no end")
        if isinstance(event, (Field, File)):
            parts.append([event.name, event.filename if isinstance(event, File) else None, b""])
        if isinstance(event, Data):
            parts[-1][2] += event.data
    return [tuple(part) for part in parts]


def read_by_multipart(sample):
    boundary = multipart.parse_options_header(sample.type.decode())[1]["boundary"]
    parser = multipart.MultipartParser(io.BytesIO(sample.body), boundary)
    return [(part.name, part.filename, part.raw) for part in parser]


def read_by_python_multipart(sample):
    parts, field, value, ended = [], [], [], []

    def begin():
        parts.append([{}, b""])

    def end_of_field():
        parts[-1][0][b"".join(field).lower()] = b"".join(value)
        field.clear(), value.clear()

    def data(bytes, start, end):
        parts[-1][1] += bytes[start:end]

    parser = MultipartParser(parse_options_header(sample.type)[1][b"boundary"], {
        "on_part_begin": begin, "on_part_data": data, "on_header_end": end_of_field, "on_end": lambda: ended.append(1),
        "on_header_field": lambda bytes, start, end: field.append(bytes[start:end]),
        "on_header_value": lambda bytes, start, end: value.append(bytes[start:end])})
    parser.write(sample.body)
    parser.finalize()
    if not ended:
        raise ValueError("no end")
    text = lambda bytes: None if bytes is None else bytes.decode()
    options = [(parse_options_header(fields.get(b"content-disposition"))[1], content) for fields, content in parts]
    return [(text(found.get(b"name")), text(found.get(b"filename")), content) for found, content in options]


# The ways in which two readings differ. Other bytes of a part are never allowed.
REFUSED, READ, PARTS, NAME, BYTES = "refused", "read", "other parts", "another file name", "other bytes"
STRUCTURE = {REFUSED, READ, PARTS}

# Where the server reads on purpose otherwise than all the others do: why, what is matched, and which differences that
# allows. LINE begins a Content-Disposition and stays on its line; the boundary is B.
LINE = rb"(?im)^content-disposition:[^\r\n]*?"
REASONS = [
    ("a semicolon may be missing before a parameter (nothing else can be meant)", LINE + rb"[^;\s][ \t]+[^;=\"\s]+[ \t]*=", STRUCTURE | {NAME}),
    ("a part without a head is ignored (contract: no-part-headers)", rb"--B[ \t]*\r\n\r\n", {READ, PARTS}),
    ("a value without quotation marks ends at the semicolon (rack 3)", LINE + rb'name[ \t]*=[ \t]*[^\s"]', STRUCTURE | {NAME}),
    ("a delimiter may follow a head at once (RFC 2046 5.1: a part may have no body)", rb"[^\r\n]\r\n\r\n--B", {READ, PARTS}),
    ("white space may stand around =, and fold a field (RFC 5322 2.2.3)", LINE + rb"(?:[ \t]=|=[ \t]|\r\n[ \t])", STRUCTURE | {NAME}),
    ("the type of a disposition is not looked at", rb'(?im)^content-disposition:(?![ \t]*form-data[ \t]*;)', STRUCTURE | {NAME}),
    ("bare CR or LF in a head (RFC 7578 4.2, RFC 5322 2.2)", LINE + rb"(?:\r(?!\n)|(?<!\r)\n)", STRUCTURE | {NAME}),
    ("a parameter is given twice (two programs could each use another)", LINE + rb"(?:[; \t]name=[^\r\n]*[; \t]name=|filename=[^\r\n]*[; \t]filename=)", {REFUSED}),
    ("the original took quotation marks within a file's name (contract: inner-quotes)", LINE + rb'filename="[^"\r\n]*"[ \t]*[^;\s]', STRUCTURE | {NAME}),
    ("a path is reduced to its last part (contract: windows-path, unix-path)", LINE + rb"filename=[^\r\n]*[\\/]", {NAME, REFUSED}),
    ("a % is decoded where each begins an escape (contract: percent-encoded)", LINE + rb"filename=[^\r\n]*%", {NAME}),
]

BOUNDARIES = [
    b"B", b"0", b"-", b"--", b"----WebKitFormBoundaryAb3dEf6hIj9lMn0p", b"a" * 70, b"aXaXaXa", b"--B--B", b"B'+_,-.", b"()/:=?",
    b"Boundary-1B2C3D4E-5F60-7182-93A4-B5C6D7E8F901",
]
# The last may only stand in quotation marks (RFC 2045 5.1).
TYPES = [
    b"multipart/form-data; boundary=%s", b"multipart/form-data;boundary=%s", b"Multipart/Form-Data; Boundary=%s",
    b"multipart/form-data; charset=utf-8; boundary=%s", b"multipart/form-data; boundary=%s; charset=utf-8",
    b'multipart/form-data; boundary="%s"', b'multipart/form-data; boundary="%s"; charset="utf-8"',
]
# Thirty-two heads with them stay below the limit on all heads together (Docs/Limits.md).
FIELDS = [
    b"Content-Type: text/plain", b"content-type: image/png", b"Content-Type: text/plain; charset=UTF-8",
    b"Content-Transfer-Encoding: binary", b"Content-ID: <a@b>", b"X-Long: " + b"x" * 200, b"X-Empty:",
]

WORDS = [
    b"--B", b"\r\n--B\r\n", b"\r\n--B--", b"\r\n--B--\r\n", b"\r\n--Bx", b"\r\n--B \r\n", b"--", b"\r\n", b"\r", b"\n", b" ", b"\t", b"x",
    b"\xff\x00", b"\r\n\r\n", b"Content-Disposition: form-data; name=\"title\"\r\n\r\n", b"Content-Type: text/plain\r\n",
    b"\r\n--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nt",
]
PIECES = [
    b"; ", b";", b" ;", b"  ", b"\r\n ", b"=", b" = ", b'"', b"\\", b"\\\"", b"name", b"name=\"image\"", b"filename=\"a.png\"", b"filename=a.png",
    b"filename*=UTF-8''b.png", b"a b", b"%20", b"%", b"+", b"\xc3\xbc", b"/", b"NAME=", b"x=\"name=1\"", b"form-data",
]


def some(choice, words, most):
    return b"".join(choice.choice(words) for _ in range(choice.randrange(most + 1)))


def random_data(choice):
    """The bytes of a part: short, of pieces of delimiters, or as long as the buffers of parsers."""
    if choice.random() < 0.1:
        return choice.randbytes(choice.choice([1, 511, 4095, 4096, 4097, 16384, 65535, 65537]))
    return some(choice, [b"photo", b"x", b"\r\n", b"\r", b"\n", b"-", b"--", b"\r\n--", b"\xff\x00", b"\xc3\xbc"], 6)


def sound_part(choice, name, filename):
    disposition = b'form-data; name="%s"' % name + (b'; filename="%s"' % filename if filename else b"")
    fields = choice.sample(FIELDS, choice.choice([0, 0, 1, 2, 3]))
    # A field is given once.
    fields = list({field.split(b":")[0].lower(): field for field in fields}.values())
    fields.insert(choice.randrange(len(fields) + 1), choice.choice(
        [b"Content-Disposition: ", b"content-disposition: ", b"CONTENT-DISPOSITION:", b"Content-Disposition:  "]) + disposition)
    return b"\r\n".join(fields) + b"\r\n\r\n" + random_data(choice)


def sound_sample(choice):
    """A body as clients may send it, which has to be read: none to thirty parts, in any order, with any boundary."""
    boundary, form = choice.choice(BOUNDARIES), choice.choice(TYPES)
    if re.search(rb"[()/:=?,]", boundary) and b'"' not in form:
        form = TYPES[-2]
    names = [(b"image", b"a.png"), (b"title", None)]
    names += [(choice.choice([b"comment", b"a b", b"\xc3\xbc", b"photo"]), choice.choice([None, b"b.png", b"\xc3\xbc.png"]))
              for _ in range(choice.choice([0, 0, 1, 2, 30]))]
    choice.shuffle(names)
    names = names[:choice.choice([30, 30, 30, 30, 1])]
    body = b"".join(b"--" + boundary + b"\r\n" + part + b"\r\n" for part in
                    (without(choice, boundary, lambda: sound_part(choice, *name)) for name in names))
    body += b"--" + boundary + b"--\r\n"
    return Sample(form % boundary, body, choice.choice([1, 7, 1000, 4096, 1 << 20]), boundary, True)


def without(choice, boundary, make):
    """A part that has no delimiter in its bytes."""
    while b"\r\n--" + boundary in (part := make()) + b"\r\n--":
        pass
    return part


def odd_sample(choice):
    """An upload in which a few places are random."""
    parameters = b'form-data; name="image"; filename="a.png"'
    if choice.random() < 0.6:
        cut = choice.randrange(len(parameters) + 1)
        parameters = parameters[:cut] + some(choice, PIECES, 4) + parameters[min(len(parameters), cut + choice.randrange(12)):]
    data = some(choice, WORDS, 5) if choice.random() < 0.7 else b"photo"
    first = some(choice, WORDS, 2) if choice.random() < 0.2 else b""
    last = choice.choice([b"\r\n--B--\r\n"] * 6 + [b"\r\n--B--", b"\r\n--B-- \r\nepilogue", b"\r\n--B", b""])
    parts = [b"Content-Disposition: " + parameters + b"\r\n\r\n" + data,
             b'Content-Disposition: form-data; name="title"\r\n\r\nt']
    if choice.random() < 0.3:
        parts.reverse()
    body = first + b"--B\r\n" + b"\r\n--B\r\n".join(parts) + last
    return Sample(b"multipart/form-data; boundary=B", body, choice.choice([1, 7, 1 << 20]), b"B", False)


def normal(read, sample):
    """The parts, of each name the last one, as the server uses them; None if the body is refused."""
    try:
        parts = read(sample)
    except Exception:
        return None
    return {name: (filename, data) for name, filename, data in parts if name and filename != ""}


def difference(mine, theirs):
    """How a reading differs from that of the peers; None if it does not."""
    if mine == theirs:
        return None
    if mine is None or theirs is None:
        return REFUSED if mine is None else READ
    if {name: part[0] is None for name, part in mine.items()} != {name: part[0] is None for name, part in theirs.items()}:
        return PARTS
    return NAME if all(mine[name][1] == theirs[name][1] for name in mine) else BYTES


def reason(sample, kind):
    """Why the server may differ so with this body; None if it may not. A sound one has to be read."""
    if sample.is_sound:
        return None
    return next((why for why, pattern, allowed in REASONS if kind in allowed and re.search(pattern, sample.body)), None)


def changed(change):
    """A reader that gives each part otherwise than the server does."""
    return lambda sample, mine: mine and {name: change(name, *part) for name, part in mine.items()}


# Readers that are wrong on purpose: what they make of the server's reading.
WRONG = {
    "every file a byte longer": changed(lambda name, file, data: (file, data + b"x" if file else data)),
    "every file empty": changed(lambda name, file, data: (file, b"" if file else data)),
    "every file called x": changed(lambda name, file, data: ("x" if file else file, data)),
    "every upload refused": lambda sample, mine: None,
    "nothing refused": lambda sample, mine: {} if mine is None else mine,
    "every text a byte shorter": changed(lambda name, file, data: (file, data if file else data[:-1])),
    "titles lost": lambda sample, mine: mine and {name: part for name, part in mine.items() if name != "title"},
    "a boundary in quotation marks refused": lambda sample, mine: None if b'"' in sample.type else mine,
    "a boundary of 70 bytes refused": lambda sample, mine: None if len(sample.boundary) == 70 else mine,
    "thirty parts refused": lambda sample, mine: None if mine and sample.body.count(b"--" + sample.boundary) > 20 else mine,
    "a byte lost where a long body came in pieces": lambda sample, mine: changed(lambda name, file, data: (file, data[1:]))(
        sample, mine) if sample.piece < 4096 < len(sample.body) else mine,
}


def main():
    count, seed = (int(text) for text in (sys.argv[1:] + ["20000", "1"][len(sys.argv) - 1:])[:2])
    ours = Peer(f"{here}/../.build/release/ReadMultipart")
    peers = [read_by_werkzeug, read_by_multipart, read_by_python_multipart]
    if shutil.which("ruby") and subprocess.run(["ruby", "-r", "rack", "-e", ""], stderr=subprocess.DEVNULL).returncode == 0:
        peers.append(Peer("ruby", f"{here}/rack.rb"))
    if shutil.which("go"):
        subprocess.run(["go", "build", "-o", f"{here}/../.build/multipart-go", f"{here}/multipart.go"], check=True)
        peers.append(Peer(f"{here}/../.build/multipart-go"))
    if len(peers) < 5:
        print(f"Only {len(peers)} of 5 peers: install ruby-rack and golang-go", file=sys.stderr)
    # python-multipart says there what it refuses.
    logging.disable(logging.CRITICAL)
    kinds, choice, unexplained, found = collections.Counter(), random.Random(seed), 0, collections.Counter()
    for number in range(count):
        sample = (sound_sample if number % 2 else odd_sample)(choice)
        readings = [normal(peer, sample) for peer in peers]
        mine = normal(ours, sample)
        if any(reading != readings[0] for reading in readings):
            kinds["the peers disagree: " + ("refused" if mine is None else "read")] += 1
            continue
        for name, change in WRONG.items():
            kind = difference(change(sample, mine), readings[0])
            found[name] += kind is not None and reason(sample, kind) is None and difference(mine, readings[0]) is None
        kind = difference(mine, readings[0])
        if kind is None:
            kinds["all agree: " + ("refused" if mine is None else "read")] += 1
            continue
        why = reason(sample, kind)
        kinds[why or "UNEXPLAINED"] += 1
        unexplained += why is None
        if why is None and unexplained <= 10:
            shown = [str(reading)[:400] for reading in (readings[0], mine)]
            print(f"{kind}: {sample.type!r}, {sample.piece} bytes at a time: {sample.body[:600]!r}\n  peers: {shown[0]}\n  ours:  {shown[1]}")
    for kind, number in kinds.most_common():
        print(f"{number:7}  {kind}")
    missed = [name for name in WRONG if not found[name]]
    print(f"{len(WRONG) - len(missed)} of {len(WRONG)} wrong readers found" + "".join(f"\nNOT FOUND: {name}" for name in missed))
    sys.exit(unexplained > 0 or bool(missed))


if __name__ == "__main__":
    main()
