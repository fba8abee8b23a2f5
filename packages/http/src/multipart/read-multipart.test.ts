import { describe, expect, test } from 'bun:test'
import { bodyOf, field, file, latin1, outcomeOf, sourceOf, LIMITS as USUAL } from '../../test-support/multipart.ts'
import { readMultipart } from './read-multipart.ts'

/** A client's own words: [client, content type, body, fields, files as name|filename|type|content]. */
const CURL = '------------------------08499677dcd023d7'
const UNDICI = '----formdata-undici-090850197398'
const REQUESTS = '16b53d5be5f9fc00c39593d6d9049e37'
const CLIENTS: [string, string, string, [string, string][], string[]][] = [
  [
    'curl',
    `multipart/form-data; boundary=${CURL}`,
    `--${CURL}\r\nContent-Disposition: form-data; name="image"; filename="h4 %22q%22.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--${CURL}\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--${CURL}\r\nContent-Disposition: form-data; name="prompt"\r\n\r\na b\r\n--${CURL}--\r\n`,
    [
      ['model', 'm'],
      ['prompt', 'a b'],
    ],
    ['image|h4 "q".png|image/png|\x89PNG'],
  ],
  [
    'curl --form-escape',
    `multipart/form-data; boundary=${CURL}`,
    `--${CURL}\r\nContent-Disposition: form-data; name="image"; filename="a\\"b\\\\c.png"\r\nContent-Type: image/png\r\n\r\nx\r\n--${CURL}--\r\n`,
    [],
    ['image|a"b\\c.png|image/png|x'],
  ],
  [
    'FormData of Node and Bun',
    `multipart/form-data; boundary=${UNDICI}`,
    `--${UNDICI}\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--${UNDICI}\r\nContent-Disposition: form-data; name="image[]"; filename="a%22b.png"\r\nContent-Type: image/png\r\n\r\nx\r\n--${UNDICI}--\r\n`,
    [['model', 'm']],
    ['image[]|a"b.png|image/png|x'],
  ],
  [
    'Python requests',
    `multipart/form-data; boundary=${REQUESTS}`,
    `--${REQUESTS}\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n\xc3\xa9 "q"\r\n--${REQUESTS}\r\nContent-Disposition: form-data; name="image[]"; filename="k\xc3\xa4se.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--${REQUESTS}\r\nContent-Disposition: form-data; name="image[]"; filename="b.png"\r\n\r\nB\r\n--${REQUESTS}--\r\n`,
    [['prompt', 'é "q"']],
    ['image[]|käse.png|image/png|\x89PNG', 'image[]|b.png||B'],
  ],
  [
    'older Python clients, with filename*',
    `multipart/form-data; boundary=${REQUESTS}`,
    `--${REQUESTS}\r\nContent-Disposition: form-data; name="image"; filename*=utf-8''k%C3%A4se.png\r\n\r\nx\r\n--${REQUESTS}--\r\n`,
    [],
    ['image|käse.png||x'],
  ],
  [
    'aiohttp: lengths and types of fields, no line end at the end',
    'multipart/form-data; boundary="a b:c"',
    '--a b:c\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 1\r\nContent-Disposition: form-data; name="n"\r\n\r\n2\r\n--a b:c--',
    [['n', '2']],
    [],
  ],
  [
    'Java: a boundary with equals signs, unquoted; names unquoted',
    'multipart/form-data;charset=UTF-8;boundary=----=_Part_1',
    '------=_Part_1\r\ncontent-disposition:form-data;name=n\r\ncontent-transfer-encoding: 8bit\r\n\r\n2\r\n------=_Part_1--\r\n',
    [['n', '2']],
    [],
  ],
  [
    'a browser that sends paths of Windows',
    'Multipart/Form-Data; Boundary=b',
    '--b\r\nContent-Disposition: form-data; name="f"; filename="C:\\dir\\a.png"\r\n\r\nx\r\n--b--\r\n',
    [],
    ['f|C:\\dir\\a.png||x'],
  ],
]

test.each(CLIENTS)('%s', async (_, contentType, body, fields, files) => {
  const form = await outcomeOf([latin1(body)], contentType)
  if (!('fields' in form)) throw new Error(form.message)
  expect(form.fields.map(({ name, value }) => [name, value] as [string, string])).toEqual(fields)
  expect(
    form.files.map(({ name, filename, contentType, stored }) => [name, filename, contentType, stored].join('|')),
  ).toEqual(files)
  for (const { size, stored } of form.files) expect(size).toBe(stored.length)
})

const one = bodyOf([field('a', '1')]).toString('latin1')
const NEAR = [
  '\r\n--',
  '\r\n--B',
  '\r\n--bc\r\n',
  '\r\n--b-',
  '\r\n--b-x',
  '\r\n--b--x',
  '\n--b\r\n',
  '\r--b\r\n',
  '\r\n --b\r\n',
]

describe('delimiters', () => {
  const ACCEPTED: [string, string, Record<string, string>][] = [
    ['a preamble', `hello\r\nworld --b\r\n${one}`, { a: '1' }],
    ['an epilogue', `${one}\r\n--b\r\nignored`, { a: '1' }],
    ['padding after the boundary', one.replace('--b\r\n', '--b \t\r\n').replace('--b--', '--b--  '), { a: '1' }],
    ['no parts', '--b--\r\n', {}],
    ['no parts and nothing else', '--b--', {}],
    ['an empty field', bodyOf([field('a', '')]).toString('latin1'), { a: '' }],
    ['a field of line ends', bodyOf([field('a', '\r\n\r\n')]).toString('latin1'), { a: '\r\n\r\n' }],
    ['a byte order mark in a field', bodyOf([field('a', '\xef\xbb\xbfx')]).toString('latin1'), { a: '\ufeffx' }],
    ['a folded header', one.replace('; name', ';\r\n  name'), { a: '1' }],
  ]
  test.each(ACCEPTED)('%s', async (_, body, fields) => {
    const form = await outcomeOf([latin1(body)])
    if (!('fields' in form)) throw new Error(form.message)
    expect(Object.fromEntries(form.fields.map(({ name, value }) => [name, value]))).toEqual(fields)
  })

  test.each(NEAR.map((near) => JSON.stringify(near)))('%s within a file is data', async (quoted) => {
    const near = JSON.parse(quoted) as string
    for (const content of [near, `${near}${near}`, `x${near}y`, `${near}\r\n`]) {
      const form = await outcomeOf([bodyOf([file('f', 'a.png', content), field('model', 'm')])])
      expect(form).toMatchObject({ files: [{ stored: content, size: content.length }], fields: [{ value: 'm' }] })
    }
  })

  test('a boundary of 70 characters is accepted, one of 71 is not', async () => {
    for (const [length, accepted] of [
      [70, true],
      [71, false],
    ] as const) {
      const boundary = 'x'.repeat(length)
      const form = await outcomeOf([bodyOf([field('a', '1')], boundary)], `multipart/form-data; boundary=${boundary}`)
      expect('fields' in form).toBe(accepted)
    }
  })
})

const NO_TYPE: [string, string | null, string][] = [
  ['none', null, 'not_multipart'],
  ['JSON', 'application/json', 'not_multipart'],
  ['another multipart', 'multipart/mixed; boundary=b', 'not_multipart'],
  ['no boundary', 'multipart/form-data', 'malformed'],
  ['an empty boundary', 'multipart/form-data; boundary=', 'malformed'],
  ['an empty quoted boundary', 'multipart/form-data; boundary=""', 'malformed'],
  ['an unclosed quote', 'multipart/form-data; boundary="b', 'malformed'],
  ['two boundaries', 'multipart/form-data; boundary=b; boundary=c', 'malformed'],
  ['a boundary that ends in a space', 'multipart/form-data; boundary="b "', 'malformed'],
  ['a boundary beyond ASCII', 'multipart/form-data; boundary=\xe4', 'malformed'],
]
test.each(NO_TYPE)('content type: %s', async (_, contentType, code) => {
  expect(await outcomeOf([latin1(one)], contentType)).toMatchObject({ code })
})

const head = (lines: string) => `--b\r\n${lines}\r\n\r\n1\r\n--b--\r\n`
const DISPOSITION = 'Content-Disposition: form-data; name="a"'
const BROKEN: [string, string, string?][] = [
  ['nothing', ''],
  ['no delimiter', 'hello'],
  ['another boundary', one.replaceAll('--b', '--c')],
  ['line feeds alone', one.replaceAll('\r\n', '\n')],
  ['no closing boundary', one.replace('--b--\r\n', '')],
  ['a closing boundary cut off', one.slice(0, -3)],
  ['cut within the headers', one.slice(0, 20)],
  ['no headers', '--b\r\n\r\n1\r\n--b--\r\n'],
  ['no disposition', head('Content-Type: text/plain')],
  ['another disposition', head('Content-Disposition: attachment; name="a"')],
  ['no name', head('Content-Disposition: form-data; filename="a"')],
  ['a header without a colon', head(`${DISPOSITION}\r\nnonsense`)],
  ['a header name with spaces', head(`${DISPOSITION}\r\na b: c`)],
  ['two dispositions', head(`${DISPOSITION}\r\n${DISPOSITION}`)],
  ['base64', head(`${DISPOSITION}\r\nContent-Transfer-Encoding: base64`), 'a'],
  ['a quote without an end', head('Content-Disposition: form-data; name="a')],
  ['a field that is not UTF-8', bodyOf([field('a', '\xff')]).toString('latin1'), 'a'],
]
test.each(BROKEN.map(([what, body, part]) => ({ what, body, part })))('malformed: $what', async ({ body, part }) => {
  expect(await outcomeOf([latin1(body)])).toMatchObject({ code: 'malformed', part })
})

const many = (count: number) => bodyOf(Array.from({ length: count }, (_, index) => field(`n${index}`, '1')))
const LIMITED: [string, Buffer, Buffer, object, string, string?][] = [
  ['parts', many(5), many(6), { parts: 5 }, 'too_many_parts'],
  ['parts of an attack', many(128), many(10_000), {}, 'too_many_parts'],
  [
    'headers of a part',
    latin1(head(`${DISPOSITION}\r\nX: ${'x'.repeat(57)}`)),
    latin1(head(`${DISPOSITION}\r\nX: ${'x'.repeat(58)}`)),
    { headerBytes: DISPOSITION.length + 62 },
    'part_header_too_large',
  ],
  [
    'a megabyte of headers',
    latin1(one),
    latin1(head(`${DISPOSITION}\r\nX: ${'x'.repeat(1_000_000)}`)),
    { bodyBytes: 2_000_000 },
    'part_header_too_large',
  ],
  ['headers without an end', latin1(one), latin1(`--b\r\n${'x'.repeat(100_000)}`), {}, 'part_header_too_large'],
  ['a name', bodyOf([field('abc', '1')]), bodyOf([field('abcd', '1')]), { nameBytes: 3 }, 'part_header_too_large'],
  [
    'a filename',
    bodyOf([file('f', 'abc', '')]),
    bodyOf([file('f', 'abcd', '')]),
    { filenameBytes: 3 },
    'part_header_too_large',
    'f',
  ],
  ['a field', bodyOf([field('a', '1234')]), bodyOf([field('a', '12345')]), { fieldBytes: 4 }, 'field_too_large', 'a'],
  ['fields in all', many(4), many(5), { allFieldsBytes: 4 }, 'field_too_large', 'n4'],
  [
    'a file',
    bodyOf([file('f', 'f', '1234')]),
    bodyOf([file('f', 'f', '12345')]),
    { fileBytes: 4 },
    'file_too_large',
    'f',
  ],
  [
    'a file without an end',
    bodyOf([file('f', 'f', '')]),
    latin1(`--b\r\n${file('f', 'f', '').head}\r\n\r\n${'x'.repeat(11_000)}`),
    {},
    'file_too_large',
    'f',
  ],
  ['the body', latin1(one), latin1(`${one}x`), { bodyBytes: one.length }, 'body_too_large'],
  [
    'an epilogue',
    latin1(`${one}${'x'.repeat(100)}`),
    latin1(`${one}${'x'.repeat(101)}`),
    { bodyBytes: one.length + 100 },
    'body_too_large',
  ],
]
const LIMITS = LIMITED.map(([what, within, beyond, limits, code, part]) => ({
  what,
  within,
  beyond,
  limits,
  code,
  part,
}))
test.each(LIMITS)('limit: $what', async ({ within, beyond, limits, code, part }) => {
  expect(await outcomeOf([within], undefined, limits)).toHaveProperty('fields')
  expect(await outcomeOf([beyond], undefined, limits)).toMatchObject({ code, part })
})

test.each([
  '../../etc/passwd',
  '/etc/passwd',
  '..\\\\..\\\\boot.ini',
  'a/b/c.png',
  'nul\u0001.png',
  '',
])('a filename %j is recorded, and nothing else', async (filename) => {
  const form = await outcomeOf([bodyOf([file('f', filename, 'x')])])
  expect(form).toMatchObject({ files: [{ filename: filename.replaceAll('\\\\', '\\'), stored: 'x' }] })
})

test('a part without a filename is a file if its content type says so', async () => {
  const part = (type: string) => ({ head: `${DISPOSITION}\r\nContent-Type: ${type}`, content: 'x' })
  const types = ['image/png', 'application/octet-stream', 'video/mp4', 'text/plain', 'application/json']
  const form = await outcomeOf([bodyOf(types.map(part))])
  expect(form).toMatchObject({ files: [{}, {}, {}], fields: [{ value: 'x' }, { value: 'x' }] })
})

describe('lines that only begin like a delimiter', () => {
  const HEAD = '--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n'

  /** The file as it was stored, and how often something was written. */
  async function store(content: string, pieceBytes: number) {
    const body = latin1(`${HEAD}${content}\r\n--b--\r\n`)
    const pieces: Uint8Array[] = []
    for (let at = 0; at < body.length; at += pieceBytes) pieces.push(body.subarray(at, at + pieceBytes))
    let writes = 0
    const written: Buffer[] = []
    const sink = {
      open: () => ({
        write(bytes: Uint8Array) {
          writes++
          written.push(Buffer.from(bytes))
          return undefined
        },
        end: () => Buffer.concat(written).toString('latin1'),
      }),
    }
    const limits = { ...USUAL, fileBytes: 2_000_000, bodyBytes: 4_000_000 }
    const form = await readMultipart(sourceOf(pieces), 'multipart/form-data; boundary=b', limits, sink)
    return { stored: form.files[0]?.stored, writes, pieces: pieces.length }
  }

  test.each([
    '\r\n--bx',
    '\r\n--b-x',
    '\r\n--b--x',
    '\r\n--b\rx',
    '\r\n--b\n',
  ])('%j, many times, is written with the pieces that it comes in', async (line) => {
    const content = line.repeat(100_000)
    const { stored, writes, pieces } = await store(content, 64 * 1024)
    expect(stored === content).toBe(true)
    expect(writes).toBeLessThanOrEqual(2 * pieces)
  })

  test('with padding, a thousand times at most', async () => {
    const content = '\r\n--b  x'.repeat(1_000)
    expect((await store(content, 64 * 1024)).stored).toBe(content)
    expect(await store(content.repeat(2), 64 * 1024).catch(String)).toContain('too often')
  })
})
