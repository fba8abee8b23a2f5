// Uploads over a real socket, by the clients that people use, and what is answered when something is wrong with them.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { json } from '@trivium/http/response.ts'
import { ERRORS } from '@trivium/protocol/canonical/error.ts'
import OpenAI, { toFile } from 'openai'
import { serveForTest, type TestServer, testHeaders } from '../../../http/test-support/serve.ts'
import { Failure } from '../request/failure.ts'
import { readForm, type UploadedFile } from './read-form.ts'
import { openSpool, type Spool } from './spool.ts'

const LIMITS = { bodyBytes: 3_000_000, fileBytes: 1_000_000, spoolBytes: 2_000_000 }
let folder = ''
let spool: Spool
let server: TestServer
/** What the last request was answered with; a client that disconnects does not see it. */
let outcome: string | undefined

const slot = { received: () => true, turn: () => undefined, charge: () => {} }
const inspect = ({ name, filename, contentType, stored }: UploadedFile) => {
  if (filename === 'bad.txt') throw new Failure('unsupported_media_type', 'No text.', { param: name })
  return { name, filename, contentType, content: readFileSync(stored.path, 'base64') }
}
/** Names and known bytes, in the order in which files began. */
let begun: [string, number][] = []
const began = ({ name }: { name: string }, bytes: number) => {
  begun.push([name, bytes])
  if (name === 'forbidden') throw new Failure('bad_request', 'Not this one.', { param: name })
}

const after = (ms: number, run: () => void) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-upload-'))
  spool = await openSpool(join(folder, 'spool'), () => LIMITS.spoolBytes)
  server = serveForTest(async (http) => {
    const context = { account: 1n, bodyBytes: LIMITS.bodyBytes, slot, isRepeatable: true }
    const rules = { fileBytes: LIMITS.fileBytes, inspect, began }
    try {
      const form = await readForm(http, context, rules, { spool, ticker: { after }, bodyIdleMs: 300 })
      outcome = 'read'
      await form.close()
      return json(200, testHeaders(), {
        created: 1,
        data: [],
        fields: form.fields.map(({ name, value }) => [name, value]),
        files: form.files,
        fingerprint: Buffer.from(form.fingerprint).toString(),
      })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const { code, param, message } = error.info
      outcome = code
      return json(ERRORS[code].status, testHeaders(), { code, param, message })
    }
  })
})
afterAll(async () => {
  await server.stop()
  await spool.close()
  rmSync(folder, { recursive: true })
})

const BYTES = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) & 255)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const spooled = () =>
  readdirSync(join(folder, 'spool'), { recursive: true }).filter((name) => /\/\d+$/.test(String(name)))
type Answer = {
  fields: [string, string][]
  files: { name: string; filename: string; contentType: string; content: string }[]
}

test('the OpenAI SDK: several images and a mask', async () => {
  const client = new OpenAI({ apiKey: 'x', baseURL: server.url, maxRetries: 0 })
  const image = (name: string) => toFile(BYTES, name, { type: 'image/png' })
  const answer = (await client.images.edit({
    model: 'sandbox-image',
    prompt: 'é "q"\r\n2',
    n: 2,
    image: [await image('a.png'), await image('b.png')],
    mask: await image('m.png'),
  })) as unknown as Answer
  expect(Object.fromEntries(answer.fields)).toEqual({ model: 'sandbox-image', prompt: 'é "q"\r\n2', n: '2' })
  expect(answer.files.map(({ name, filename }) => `${name} ${filename}`).sort()).toEqual([
    'image[] a.png',
    'image[] b.png',
    'mask m.png',
  ])
  for (const { content } of answer.files) expect(content).toBe(base64(BYTES))
  expect(spooled()).toEqual([])
})

test('fetch with FormData, announced and in chunks', async () => {
  const form = new FormData()
  form.append('image', new File([BYTES], 'a.png', { type: 'image/png' }))
  form.append('model', 'm')
  const whole = new Response(form)
  const headers = { 'content-type': whole.headers.get('content-type') ?? '' }
  const bytes = await whole.bytes()
  for (const body of [bytes, new Blob([bytes]).stream()]) {
    const answer = (await (await fetch(server.url, { method: 'POST', headers, body })).json()) as Answer
    expect(answer).toMatchObject({ fields: [['model', 'm']], files: [{ content: base64(BYTES) }] })
  }
})

const curl = Bun.which('curl')
test.skipIf(curl === null).each([
  ['announced', []],
  ['chunked', ['-H', 'Transfer-Encoding: chunked']],
  ['with Expect', ['-H', 'Expect: 100-continue']],
])('curl -F, %s', async (_, options) => {
  const file = join(folder, 'cat.png')
  writeFileSync(file, BYTES)
  const command = [curl ?? '', '-s', '-F', `image=@${file}`, '-F', 'model=m', ...options, server.url]
  const answer = JSON.parse(await new Response(Bun.spawn(command).stdout).text()) as Answer
  expect(answer.fields).toEqual([['model', 'm']])
  expect(answer.files).toEqual([
    { name: 'image', filename: 'cat.png', contentType: 'image/png', content: base64(BYTES) },
  ])
})

const TYPE = 'multipart/form-data; boundary=b'
const file = (content: string, name = 'image', filename = 'a.png') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n${content}\r\n`
const field = (name: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
const END = '--b--\r\n'
const x = (length: number) => 'x'.repeat(length)

const REJECTED: [string, Record<string, string>, string | Uint8Array, number, string, string | undefined][] = [
  ['JSON', { 'content-type': 'application/json' }, '{}', 415, 'unsupported_media_type', undefined],
  ['no boundary', { 'content-type': 'multipart/form-data' }, END, 400, 'bad_request', undefined],
  [
    'compressed',
    { 'content-type': TYPE, 'content-encoding': 'gzip' },
    gzipSync(END),
    415,
    'unsupported_media_type',
    undefined,
  ],
  ['cut off', { 'content-type': TYPE }, file('x'), 400, 'bad_request', undefined],
  [
    'a field that is no text',
    { 'content-type': TYPE },
    Buffer.from(field('n', '\xff') + END, 'latin1'),
    400,
    'bad_request',
    'n',
  ],
  ['a large file', { 'content-type': TYPE }, file(x(1_000_001)) + END, 413, 'request_too_large', 'image'],
  ['a large field', { 'content-type': TYPE }, field('prompt', x(300_000)) + END, 413, 'request_too_large', 'prompt'],
  ['many parts', { 'content-type': TYPE }, field('n', '1').repeat(10_000) + END, 413, 'request_too_large', undefined],
  ['a large body', { 'content-type': TYPE }, x(3_000_001), 413, 'request_too_large', undefined],
  ['a file that is not taken', { 'content-type': TYPE }, file('x', 'forbidden') + END, 400, 'bad_request', 'forbidden'],
  [
    'a file that the inspector rejects',
    { 'content-type': TYPE },
    file('x', 'image', 'bad.txt') + END,
    415,
    'unsupported_media_type',
    'image',
  ],
  ['a full spool', { 'content-type': TYPE }, file(x(900_000)).repeat(3) + END, 503, 'service_unavailable', undefined],
]
test.each(REJECTED)('rejected: %s', async (_, headers, body, status, code, param) => {
  for (const sent of [body, new Blob([body]).stream()]) {
    const response = await fetch(server.url, { method: 'POST', headers, body: sent })
    const answer = (await response.json()) as { code: string; param?: string }
    expect([response.status, answer.code, answer.param]).toEqual([status, code, param])
  }
  expect([spool.usedBytes, spooled()]).toEqual([0, []])
})

test('files begin before their content, empty inputs of browsers not at all; the fingerprint is that of their contents', async () => {
  const send = async (content: string) => {
    begun = []
    const body = file('', 'empty', '') + file('xy', 'unnamed', '') + file(content, 'named') + field('n', '1') + END
    const response = await fetch(server.url, { method: 'POST', headers: { 'content-type': TYPE }, body })
    return ((await response.json()) as { fingerprint: string }).fingerprint
  }
  const first = await send('abc')
  expect(begun).toEqual([
    ['unnamed', 2],
    ['named', 0],
  ])
  expect([await send('abc'), await send('abd')]).toEqual([first, expect.not.stringMatching(first)])
})

/** Speaks by hand; what comes back until the connection is closed, or until `ms` have passed. */
async function speak(head: string, body: string, then: 'wait' | 'disconnect' = 'wait'): Promise<string> {
  outcome = undefined
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.on('data', (data) => {
    received += data.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${TYPE}\r\n${head}\r\n\r\n`)
  await Bun.sleep(50)
  const before = received
  socket.write(body)
  await Bun.sleep(50)
  if (then === 'disconnect') socket.destroy()
  for (let waited = 0; outcome === undefined && waited < 5_000; waited += 10) await Bun.sleep(10)
  await Bun.sleep(50)
  socket.destroy()
  return `${before}|${received.slice(before.length)}`
}

test('100-continue is sent for an upload within the limits, and not for one that is rejected by its length', async () => {
  const whole = file('x') + END
  expect(await speak(`content-length: ${whole.length}\r\nexpect: 100-continue`, whole)).toMatch(
    /^HTTP\/1.1 100 [^|]*\|HTTP\/1.1 200/s,
  )
  expect(await speak('content-length: 3000001\r\nexpect: 100-continue', '')).toMatch(/^HTTP\/1.1 413/)
})

const half = file(x(100_000)).slice(0, 90_000)
const UNFINISHED: [string, string, string, 'wait' | 'disconnect', string][] = [
  ['a client that disconnects', 'content-length: 200000', half, 'disconnect', 'client_closed_request'],
  ['a client that stalls', 'content-length: 300000', half, 'wait', 'request_timeout'],
  ['a client that stalls before the first byte', 'content-length: 300000', '', 'wait', 'request_timeout'],
  ['a length that is too long', 'content-length: 300000', file('x') + END, 'wait', 'request_timeout'],
  ['a length that is too short', 'content-length: 50', file('x') + END, 'wait', 'bad_request'],
]
test.each(UNFINISHED)('%s leaves nothing on disk', async (_, head, body, then, expected) => {
  await speak(head, body, then)
  expect(outcome).toBe(expected)
  expect([spool.usedBytes, spooled()]).toEqual([0, []])
})
