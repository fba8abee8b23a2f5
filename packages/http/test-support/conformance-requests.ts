// The request corpus of the conformance suite: one table per rule of RFC 9110 and RFC 9112, with forms known from request
// smuggling and from the test suites of other HTTP parsers. Text is latin1: one character per byte.

/** A head without the empty line that ends it. */
export type HeadCase = readonly [name: string, head: string, status: number]

const get = (first: string, status: number): HeadCase => [JSON.stringify(first), `${first}\r\nHost: a`, status]

/** Request lines: method, target and version, separated by single spaces. */
const REQUEST_LINES: readonly HeadCase[] = [
  ...['', 'GET', 'GET /', 'GET /\t', ' HTTP/1.1', '/ HTTP/1.1', 'HTTP/1.1 200 OK'].map((line) => get(line, 400)),
  // Whitespace: two spaces, tabs, leading and trailing space.
  ...['GET  / HTTP/1.1', 'GET /  HTTP/1.1', 'GET / HTTP/1.1 ', 'GET\t/ HTTP/1.1'].map((line) => get(line, 400)),
  ...['GET /\tHTTP/1.1', ' GET / HTTP/1.1', '\tGET / HTTP/1.1', 'GET /\x0bHTTP/1.1'].map((line) => get(line, 400)),
  // Targets with spaces, control characters or DEL.
  ...['GET / a HTTP/1.1', 'GET /a b/c HTTP/1.1', 'GET /\0 HTTP/1.1', 'GET /\x7f HTTP/1.1'].map((line) =>
    get(line, 400),
  ),
  ...['GET /\x1b[2J HTTP/1.1', 'GET /a\rb HTTP/1.1', 'GET /a\nb HTTP/1.1'].map((line) => get(line, 400)),
  // Methods are tokens of bounded length.
  ...['G(T / HTTP/1.1', 'GE"T / HTTP/1.1', 'GET, / HTTP/1.1', 'G@T / HTTP/1.1'].map((line) => get(line, 400)),
  ...['G\xe4T / HTTP/1.1', 'G\0T / HTTP/1.1', `${'G'.repeat(33)} / HTTP/1.1`].map((line) => get(line, 400)),
  // Versions: exact spelling; a well-formed other version is 505.
  ...['GET / http/1.1', 'GET / Http/1.1', 'GET / HTTP/1.1x', 'GET / HTTP/11', 'GET / HTTP/1.', 'GET / HTTP/.1'].map(
    (line) => get(line, 400),
  ),
  ...['GET / HTTP /1.1', 'GET / HTTP/1 .1', 'GET / HTTP/+1.1', 'GET / HTTP/01.1', 'GET / HTTP/1.10'].map((line) =>
    get(line, 400),
  ),
  ...['GET / ICE/1.0', 'GET / RTSP/1.0', 'GET / HTTQ/1.1', 'GET / XHTTP/1.1', 'GET / HTPP/1.1'].map((line) =>
    get(line, 400),
  ),
  ...['GET / HTTP/1.2', 'GET / HTTP/0.9', 'GET / HTTP/2.0', 'PRI * HTTP/2.0', 'GET / HTTP/3', 'GET / HTTP/9.9'].map(
    (line) => get(line, 505),
  ),
  // Other protocols on the port: TLS, SSH, SOCKS, a PROXY header.
  ...['\x16\x03\x01', 'SSH-2.0-OpenSSH_9.6', '\x04\x01\x01\xbb', 'PROXY TCP4 192.0.2.1 192.0.2.2 1 2'].map((line) =>
    get(line, 400),
  ),
  ['a version within a header', 'GET /\r\nHost: a\r\nUser-Agent: b HTTP/2.0', 400],
]

/** A header line added to a valid POST. */
type LineCase = readonly [name: string, line: string]

const HEADER_LINES: readonly LineCase[] = [
  ['a bare LF between lines', 'A: b\nC: d'],
  ['a bare LF that hides a length', 'A: b\nContent-Length: 5'],
  ['a bare CR between lines', 'A: b\rC: d'],
  ['a bare CR that hides chunks', 'A: b\rTransfer-Encoding: chunked'],
  ['a CR before the line end', 'A: b\r'],
  ['an LF and CR in the wrong order', 'A: b\n\rC: d'],
  ['a NUL in a value', 'A: b\0c'],
  ['a NUL in a name', 'A\0B: c'],
  ['a vertical tab', 'A:\x0bb'],
  ['a form feed', 'Content-Length:\x0c5'],
  ['an escape character', 'A: \x1b[31m'],
  ['a DEL', 'A: \x7f'],
  ['obs-fold with a space', 'A: b\r\n c'],
  ['obs-fold with a tab', 'A: b\r\n\tc'],
  ['obs-fold of a length', 'Content-Length: 1\r\n 0'],
  ['obs-fold of an encoding', 'Transfer-Encoding:\r\n chunked'],
  ['obs-fold before the first header', ' A: b'],
  ['a space before the colon', 'Content-Length : 5'],
  ['a tab before the colon', 'Transfer-Encoding\t: chunked'],
  ['a vertical tab before the colon', 'Transfer-Encoding\x0b: chunked'],
  ['a space within a name', 'Content Length: 5'],
  ['an empty name', ': b'],
  ['only a colon', ':'],
  ['no colon', 'A'],
  ['a name in parentheses', '(A): b'],
  ['a name in quotes', '"A": b'],
  ['a name with a comma', 'A,B: c'],
  ['a name with a slash', 'A/B: c'],
  ['a name with an at sign', 'A@B: c'],
  ['a name outside of ASCII', '\xc4: b'],
]

/** CL.TE, TE.CL, CL.CL and TE.TE. */
const LENGTHS: readonly LineCase[] = [
  ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
  ['chunks and a length', 'transfer-encoding: chunked\r\ncontent-length: 5'],
  ['a zero length and chunks', 'Content-Length: 0\r\nTransfer-Encoding: chunked'],
  ['a length and identity', 'Content-Length: 5\r\nTransfer-Encoding: identity'],
  ['two different lengths', 'Content-Length: 5\r\nContent-Length: 6'],
  ['the same length twice', 'Content-Length: 5\r\ncontent-length: 5'],
  ['a list of lengths', 'Content-Length: 5, 5'],
  ['a list with an empty entry', 'Content-Length: 5,'],
  ['a length with a plus sign', 'Content-Length: +5'],
  ['a negative length', 'Content-Length: -5'],
  ['a length with a fraction', 'Content-Length: 5.0'],
  ['a hexadecimal length', 'Content-Length: 0x5'],
  ['a length with an exponent', 'Content-Length: 1e3'],
  ['a length with a separator', 'Content-Length: 1_000'],
  ['a length with a space inside', 'Content-Length: 1 0'],
  ['a length followed by a word', 'Content-Length: 5 bytes'],
  ['a quoted length', 'Content-Length: "5"'],
  ['an empty length', 'Content-Length:'],
  ['a length in other digits', 'Content-Length: \xb2'],
  ['a length of 16 digits', `Content-Length: ${'9'.repeat(16)}`],
  ['a length beyond 64 bits', 'Content-Length: 18446744073709551621'],
]

const HOSTS: readonly LineCase[] = [
  ['two hosts', 'Host: b'],
  ['the same host twice, in another case', 'hOST: a'],
]

const ENCODINGS = [
  'identity',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked, identity',
  'identity, chunked',
  'chunked\r\nTransfer-Encoding: chunked',
  'chunked\r\nTransfer-Encoding: identity',
  'x\r\ntransfer-encoding: chunked',
  'xchunked',
  'chunkedx',
  'chunk',
  'chunked;a=b',
  '"chunked"',
  'chunked,',
  ',chunked',
  '',
  'c\xb0hunked',
  'deflate',
]

const post = ([name, line]: LineCase): HeadCase[] => [
  [name, `POST / HTTP/1.1\r\nHost: a\r\n${line}`, 400],
  [`${name}, before another header`, `POST / HTTP/1.1\r\nHost: a\r\n${line}\r\nB: c`, 400],
]

/** Heads that are rejected: whatever they mean, another parser may read them differently. */
export const REJECTED_HEADS: readonly HeadCase[] = [
  ...REQUEST_LINES,
  ...[...HEADER_LINES, ...LENGTHS, ...HOSTS].flatMap(post),
  ...ENCODINGS.map((value): HeadCase => {
    return [
      `Transfer-Encoding: ${JSON.stringify(value)}`,
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${value}`,
      501,
    ]
  }),
  ['no host', 'GET / HTTP/1.1', 400],
  ['a host under another name', 'GET / HTTP/1.1\r\nX-Host: a', 400],
  ['a list of hosts', 'GET / HTTP/1.1\r\nHost: a, b', 400],
  ['two hosts in HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\nHost: b', 400],
  ['chunks in HTTP/1.0', 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked', 400],
  ['an unknown expectation', 'POST / HTTP/1.1\r\nHost: a\r\nExpect: a miracle', 417],
]

/** Rejected by their first bytes or by their size, before there is a head. */
export const REJECTED_STARTS: readonly HeadCase[] = [
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00', 400],
  ['an LF before the request', '\nGET / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a space before the request', ' GET / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['two line ends before the request', '\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a CR and no LF before the request', '\rGET / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a head of more than 64 KiB', `GET / HTTP/1.1\r\nA: ${'b'.repeat(66_000)}`, 431],
  ['a target of more than 64 KiB', `GET /${'a'.repeat(66_000)}`, 431],
  ['more than 64 KiB of headers', `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(12_000)}`, 431],
]

/** Heads that are valid, though unusual; each with the target that the handler sees. */
export const ACCEPTED_HEADS: readonly (readonly [name: string, head: string, target: string])[] = [
  ['any token as a method', "a!#$%&'*+-.^_`|~9 / HTTP/1.1\r\nHost: a", '/'],
  ['M-SEARCH', 'M-SEARCH * HTTP/1.1\r\nHost: a', '*'],
  ['an absolute target', 'GET http://a/v1/models?x=1 HTTP/1.1\r\nHost: a', '/v1/models?x=1'],
  ['an absolute target without a path', 'GET http://a HTTP/1.1\r\nHost: a', '/'],
  ['an absolute target with a query only', 'GET http://a?x=/y HTTP/1.1\r\nHost: a', '/?x=/y'],
  ['an IPv6 host in the target', 'GET HTTPS://user@[::1]:8443/v1 HTTP/1.1\r\nHost: a', '/v1'],
  ['an authority as the target', 'CONNECT example.org:443 HTTP/1.1\r\nHost: a', 'example.org:443'],
  ['percent-encoding that is not decoded', 'GET /a%2Fb%00/../%zz HTTP/1.1\r\nHost: a', '/a%2Fb%00/../%zz'],
  ['UTF-8 in the target', 'GET /v1/\xc3\xa4 HTTP/1.1\r\nHost: a', '/v1/%C3%A4'],
  ['a fragment', 'GET /a#b HTTP/1.1\r\nHost: a', '/a#b'],
  ['quotes and braces in the target', 'GET /?a="{[b]}|^` HTTP/1.1\r\nHost: a', '/?a="{[b]}|^`'],
  ['HTTP/1.0 without a host', 'GET /a HTTP/1.0', '/a'],
  ['an empty host', 'GET /a HTTP/1.1\r\nHost:', '/a'],
  ['names in any case', 'GET /a HTTP/1.1\r\nhOsT: a', '/a'],
  ['no space after the colon', 'GET /a HTTP/1.1\r\nHost:a\r\nA:b', '/a'],
  ['tabs around a value', 'GET /a HTTP/1.1\r\nHost: a\r\nA:\t b\tc \t', '/a'],
  ['an underscore and digits in a name', 'GET /a HTTP/1.1\r\nHost: a\r\nX_1.2: b', '/a'],
  ['latin1 in a value', 'GET /a HTTP/1.1\r\nHost: a\r\nA: \xe4\xf6\xa0', '/a'],
  ['colons in a value', 'GET /a HTTP/1.1\r\nHost: a:80\r\nA: : b:', '/a'],
  ['1,000 headers', `GET /a HTTP/1.1\r\nHost: a${'\r\nA: b'.repeat(1_000)}`, '/a'],
  ['a line end before the request', '\r\nGET /a HTTP/1.1\r\nHost: a', '/a'],
  ['an upgrade that is ignored', 'GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c', '/a'],
  ['a length of zero on GET', 'GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0', '/a'],
]

/** Chunked bodies, each with its content. */
export const ACCEPTED_CHUNKS: readonly (readonly [name: string, text: string, body: string])[] = [
  ['one chunk', '5\r\nhello\r\n0\r\n\r\n', 'hello'],
  ['several', '5\r\nhello\r\n1\r\n \r\nA\r\n0123456789\r\n0\r\n\r\n', 'hello 0123456789'],
  ['sizes in both cases', 'a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n', '01234567890123456789a'],
  ['an empty body', '0\r\n\r\n', ''],
  ['line ends in the content', '4\r\n\r\n\r\n\r\n0\r\n\r\n', '\r\n\r\n'],
  ['content that looks like the end', '7\r\n0\r\n\r\nGE\r\n0\r\n\r\n', '0\r\n\r\nGE'],
  ['an extension of 256 bytes', `5;${'a'.repeat(256)}\r\nhello\r\n0\r\n\r\n`, 'hello'],
  ['extensions', '5;a=b\r\nhello\r\n0;last\r\n\r\n', 'hello'],
  ['an extension with a quoted value', '5;a="b;c"\r\nhello\r\n0\r\n\r\n', 'hello'],
  ['whitespace after the size', '5 \r\nhello\r\n0\t\r\n\r\n', 'hello'],
  ['whitespace before an extension', '5 \t;a=b\r\nhello\r\n0 ;c\r\n\r\n', 'hello'],
  ['leading zeros', '0005\r\nhello\r\n000\r\n\r\n', 'hello'],
  ['trailers', '5\r\nhello\r\n0\r\na: b\r\nc: d\r\n\r\n', 'hello'],
]

/** Chunked framing that is rejected. */
export const REJECTED_CHUNKS: readonly (readonly [name: string, text: string])[] = [
  ['no size', '\r\nhello'],
  ['no size before an extension', ';a\r\nhello'],
  ['a negative size', '-5\r\nhello'],
  ['a plus sign', '+5\r\nhello'],
  ['a hexadecimal prefix', '0x5\r\nhello'],
  ['a letter that is no digit', '5g\r\nhello'],
  ['an underscore', '1_0\r\nhello'],
  ['digits after whitespace', '1 0\r\nhello'],
  ['a word after whitespace', '5 a\r\nhello\r\n0\r\n\r\n'],
  ['endless whitespace', `5${' '.repeat(20_000)}`],
  ['whitespace over 256 bytes', `5${' '.repeat(258)}`],
  ['whitespace before the size', ' 5\r\nhello'],
  ['a form feed after the size', '5\x0c\r\nhello'],
  ['a bare CR after the size', '5\rhello'],
  ['a bare LF after the size', '5\nhello'],
  ['two CRs after the size', '5\r\r\nhello'],
  ['a bare LF in an extension', '5;a\n\r\nhello\r\n0\r\n\r\n'],
  ['a bare CR in an extension', '5;a\rb\r\nhello\r\n0\r\n\r\n'],
  ['a bare LF after the content', '5\r\nhello\n0\r\n\r\n'],
  ['no line end after the content', '5\r\nhello0\r\n\r\n'],
  ['more content than its size', '5\r\nhello!\r\n'],
  ['less content than its size', '6\r\nhello\r\n0\r\n\r\n'],
  ['a bare LF in a trailer', '0\r\na: b\nc: d\r\n\r\n'],
  ['a bare LF instead of the last line end', '0\r\n\n\r\n\r\n'],
  ['a bare CR in a trailer', '0\r\na: b\rc: d\r\n\r\n'],
  ['a size of 14 digits', 'ffffffffffffff\r\n'],
  ['a size beyond 64 bits', '10000000000000005\r\nhello\r\n0\r\n\r\n'],
  ['14 digits of zeros', '00000000000005\r\nhello\r\n0\r\n\r\n'],
  ['an extension over 256 bytes', `5;${'a'.repeat(257)}`],
  ['endless trailers', `0\r\n${'a: b\r\n'.repeat(5_000)}`],
]
