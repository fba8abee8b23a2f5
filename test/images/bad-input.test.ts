// Invalid and hostile requests for images: a 4xx that names the field, nothing charged, no file left, others are served.
import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { newKey } from '../support/gateway/accounts.ts'
import { startImageGateway } from '../support/gateway/image-gateway.ts'
import { edit, type FormValue, formOf, generate, pngOf } from '../support/requests/images.ts'
import { respondAsRequested } from '../support/upstreams/image-replies.ts'

const LIMITS = 'server: { limits: { body: 1MiB, upload: 60MiB } }\n'
const { gateway, first } = await startImageGateway('sqlite', LIMITS)
const { secret, rows } = await newKey(gateway)
first.behave(respondAsRequested)
const PNG = await pngOf(64, 64)

afterEach(async () => {
  expect(first.received.length).toBe(0)
  expect(await rows()).toEqual([])
})

/** The status and the field that the error names. */
async function rejectionOf(response: Response): Promise<[status: number, param: string | null]> {
  const { error } = (await response.json()) as { error: { message: string; param: string | null } }
  expect(error.message.length).toBeGreaterThan(10)
  expect(response.headers.get('x-request-id')).toStartWith('req_')
  return [response.status, error.param]
}

describe('generations', () => {
  const right = { model: 'img', prompt: 'a cat' }
  const series = (max_images: number) => ({
    sequential_image_generation: 'auto',
    sequential_image_generation_options: { max_images },
  })
  test.each<[string, object | string, status: number, param: string | null]>([
    ['no JSON', 'hello', 400, null],
    ['cut JSON', '{"model":"img"', 400, 'model'],
    ['a list', '[]', 400, null],
    ['no model', { prompt: 'x' }, 400, 'model'],
    ['model a number', { ...right, model: 7 }, 400, 'model'],
    ['an unknown model', { ...right, model: 'none' }, 404, 'model'],
    ['no prompt', { model: 'img' }, 400, 'prompt'],
    ['an empty prompt', { ...right, prompt: ' ' }, 400, 'prompt'],
    ['prompt a list', { ...right, prompt: ['x'] }, 400, 'prompt'],
    ['a long prompt', { ...right, prompt: 'x'.repeat(32_001) }, 400, 'prompt'],
    ['n none', { ...right, n: 0 }, 400, 'n'],
    ['n too many', { ...right, n: 11 }, 400, 'n'],
    ['n a fraction', { ...right, n: 1.5 }, 400, 'n'],
    ['n a text', { ...right, n: '2' }, 400, 'n'],
    ['a wrong size', { ...right, size: 'big' }, 400, 'size'],
    ['size a number', { ...right, size: 512 }, 400, 'size'],
    ['quality a number', { ...right, quality: 1 }, 400, 'quality'],
    ['an unknown background', { ...right, background: 'blue' }, 400, 'background'],
    ['a transparent JPEG', { ...right, background: 'transparent', output_format: 'jpeg' }, 400, 'background'],
    ['an unknown format', { ...right, output_format: 'gif' }, 400, 'output_format'],
    ['compression of a PNG', { ...right, output_compression: 99 }, 400, 'output_compression'],
    ['an image that is no URL', { ...right, image: 'x' }, 400, 'image'],
    ['an image that is none', { ...right, image: 'data:image/png;base64,AAAA' }, 415, 'image[0]'],
    ['an image in the network', { ...right, image: 'http://127.0.0.1/a.png' }, 400, 'image'],
    ['a series of none', { ...right, ...series(0) }, 400, 'sequential_image_generation_options.max_images'],
    ['a series of 16', { ...right, ...series(16) }, 400, 'sequential_image_generation_options.max_images'],
    ['a series, and n', { ...right, ...series(2), n: 2 }, 400, 'n'],
    ['compression above', { ...right, output_format: 'webp', output_compression: 101 }, 400, 'output_compression'],
    ['an unknown moderation', { ...right, moderation: 'none' }, 400, 'moderation'],
    ['an unknown response format', { ...right, response_format: 'png' }, 400, 'response_format'],
    ['too many partial images', { ...right, stream: true, partial_images: 4 }, 400, 'partial_images'],
    ['stream a text', { ...right, stream: 'yes' }, 400, 'stream'],
    ['user a number', { ...right, user: 7 }, 400, 'user'],
    ['too large', { ...right, extra: 'x'.repeat(1024 * 1024) }, 413, null],
  ])('%s', async (_, body, status, param) => {
    expect(await rejectionOf(await generate(gateway.url, secret, body))).toEqual([status, param])
  })

  test('a form instead of JSON', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    expect(await rejectionOf(await generate(gateway.url, secret, '--b--', { headers }))).toEqual([415, null])
  })
})

describe('edits', () => {
  const MODEL = ['model', 'img'] as const
  const PROMPT = ['prompt', 'a hat'] as const
  const IMAGE = ['image', PNG] as const
  const right = [IMAGE, MODEL, PROMPT]
  const bytes = (text: string) => new Uint8Array(Buffer.from(text))
  /** A PNG header that claims these dimensions. */
  const huge = PNG.slice()
  new DataView(huge.buffer).setUint32(16, 60_000)
  new DataView(huge.buffer).setUint32(20, 60_000)

  test.each<[string, (readonly [string, FormValue])[], status: number, param: string | null]>([
    ['no image', [MODEL, PROMPT], 400, 'image'],
    ['no model', [IMAGE, PROMPT], 400, 'model'],
    ['an unknown model', [IMAGE, PROMPT, ['model', 'none']], 404, 'model'],
    ['no prompt', [IMAGE, MODEL], 400, 'prompt'],
    ['a text as image', [['image', 'x'], MODEL, PROMPT], 400, 'image'],
    ['an empty image', [['image', bytes('')], MODEL, PROMPT], 400, 'image'],
    ['a file that is no image', [['image', bytes('hello')], MODEL, PROMPT], 415, 'image'],
    ['a GIF', [['image', bytes('GIF89a0000000000')], MODEL, PROMPT], 415, 'image'],
    ['an SVG', [['image', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')], MODEL, PROMPT], 415, 'image'],
    ['too many pixels', [['image', huge], MODEL, PROMPT], 400, 'image'],
    ['17 images', [...Array(17).fill(['image[]', PNG]), MODEL, PROMPT], 400, 'image'],
    ['two masks', [...right, ['mask', PNG], ['mask', PNG]], 400, 'mask'],
    ['a mask that is no image', [...right, ['mask', bytes('x')]], 415, 'mask'],
    ['a file of another name', [...right, ['photo', PNG]], 400, 'photo'],
    ['n a word', [...right, ['n', 'two']], 400, 'n'],
    ['n twice', [...right, ['n', '1'], ['n', '2']], 400, 'n'],
    ['n in another case', [...right, ['N', '10']], 400, 'N'],
    ['the model in another case', [...right, ['Model', 'two']], 400, 'Model'],
    ['the image in another case', [...right, ['Image', PNG]], 400, 'Image'],
    ['an unknown field twice', [...right, ['seed', '1'], ['seed', '2']], 400, 'seed'],
    ['n as a list', [...right, ['n[]', '2']], 400, 'n[]'],
    ['a wrong size', [...right, ['size', '1x1']], 400, 'size'],
    ['stream a word', [...right, ['stream', 'yes']], 400, 'stream'],
    ['too many partial images', [...right, ['partial_images', '9']], 400, 'partial_images'],
    ['a file above 50 MB', [['image', new Uint8Array(50 * 1024 * 1024 + 1)], MODEL, PROMPT], 413, 'image'],
    ['a field above its limit', [...right, ['user', 'x'.repeat(300_000)]], 413, 'user'],
  ])('%s', async (_, fields, status, param) => {
    expect(await rejectionOf(await edit(gateway.url, secret, formOf(fields)))).toEqual([status, param])
  })

  test.each<[string, Record<string, string>, status: number]>([
    ['JSON that is none', { 'content-type': 'application/json' }, 400],
    ['text', { 'content-type': 'text/plain' }, 415],
    ['no content type', { 'content-type': '' }, 415],
    ['another multipart type', { 'content-type': 'multipart/mixed; boundary=b' }, 415],
    ['a compressed form', { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' }, 415],
  ])('%s', async (_, headers, status) => {
    expect((await rejectionOf(await edit(gateway.url, secret, bytes('--b--\r\n'), { headers })))[0]).toBe(status)
  })

  test.each<[string, object, status: number, param: string]>([
    ['no images', {}, 400, 'images'],
    ['a file id', { images: [{ file_id: 'file-1' }] }, 400, 'images[0].file_id'],
    ['no URL', { images: [{ image_url: 'x' }] }, 400, 'images[0].image_url'],
    ['no image behind a data URL', { images: [{ image_url: 'data:image/png;base64,AAAA' }] }, 415, 'image[0]'],
    ['a URL in the network', { images: [{ image_url: 'http://10.0.0.1/a.png' }] }, 400, 'images[0].image_url'],
    ['another case', { Images: [] }, 400, 'Images'],
  ])('as JSON: %s', async (_, fields, status, param) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'img', prompt: 'a hat', ...fields })
    expect(await rejectionOf(await edit(gateway.url, secret, body, { headers }))).toEqual([status, param])
  })

  test('a form above the limit of uploads, announced and not', async () => {
    const image = new Uint8Array(31 * 1024 * 1024)
    const form = formOf([['image[]', image], ['image[]', image], MODEL, PROMPT])
    expect(await rejectionOf(await edit(gateway.url, secret, form))).toEqual([413, null])
  })
})

/** Sends bytes that no HTTP client would; the status, and whether the gateway closed the connection. */
async function sendRaw(head: string, pieces: Iterable<string | Uint8Array>): Promise<number> {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  let received = ''
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      received += data
      if (received.includes('\r\n\r\n')) resolve()
    })
    socket.on('close', () => resolve())
    socket.on('error', () => resolve())
  })
  let isOver = false
  void answered.then(() => {
    isOver = true
  })
  socket.write(
    `POST /v1/images/edits HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\nconnection: close\r\n${head}\r\n\r\n`,
  )
  for (const piece of pieces) {
    if (isOver || socket.destroyed) break
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), answered])
    else await Bun.sleep(0)
  }
  await answered
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1])
}

describe('hostile forms', () => {
  const type = 'content-type: multipart/form-data; boundary=b'
  const part = (name: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  const chunked = function* (pieces: Iterable<string>): Generator<string> {
    for (const piece of pieces) yield `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`
    yield '0\r\n\r\n'
  }
  const endless = function* (piece: string): Generator<string> {
    for (;;) yield piece
  }
  const TE = 'transfer-encoding: chunked'
  const whole = (text: string): [string, string[]] => [`${type}\r\ncontent-length: ${text.length}`, [text]]

  test.each<[string, () => [head: string, pieces: Iterable<string>], statuses: number[]]>([
    ['no boundary', () => ['content-type: multipart/form-data\r\ncontent-length: 5', ['--b--']], [400, 415]],
    [
      'a boundary of 100 characters',
      () => [`content-type: multipart/form-data; boundary=${'b'.repeat(100)}\r\ncontent-length: 5`, ['--b--']],
      [400, 415],
    ],
    ['no delimiter at all', () => whole('hello'), [400]],
    ['no last delimiter', () => whole(`${part('model')}img\r\n`), [400]],
    ['a part without a name', () => whole('--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n'), [400]],
    [
      'a part that never ends',
      () => [`${type}\r\n${TE}`, chunked([part('image', '; filename="a"'), ...repeated('x'.repeat(65_536), 900)])],
      [413],
    ],
    [
      'a field that never ends',
      () => [`${type}\r\n${TE}`, chunked([part('prompt'), ...repeated('x'.repeat(65_536), 50)])],
      [413],
    ],
    ['10,000 parts', () => whole(`${`${part('a')}1\r\n`.repeat(10_000)}--b--\r\n`), [413]],
    ['10,000 files', () => whole(`${`${part('image[]', '; filename="a"')}1\r\n`.repeat(10_000)}--b--\r\n`), [400]],
    // Part 18, of which only the first bytes come.
    [
      'one image too many',
      () => [
        `${type}\r\ncontent-length: 1000000`,
        [
          `${part('image[]', '; filename="a"')}1\r\n`.repeat(16),
          part('mask', '; filename="a"'),
          '1\r\n',
          part('image', '; filename="a"'),
        ],
      ],
      [400],
    ],
    [
      'a model that does not exist, before its image',
      () => [`${type}\r\ncontent-length: 1000000`, [`${part('model')}none\r\n`, part('image', '; filename="a"')]],
      [404],
    ],
    [
      'a part header of a megabyte',
      () =>
        whole(
          `--b\r\nContent-Disposition: form-data; name="a"\r\nx-a: ${'a'.repeat(1024 * 1024)}\r\n\r\nx\r\n--b--\r\n`,
        ),
      [413],
    ],
    ['a name of 10,000 characters', () => whole(`${part('n'.repeat(10_000))}x\r\n--b--\r\n`), [400, 413]],
    ['an endless preamble', () => [`${type}\r\ncontent-length: 70000000`, endless('x'.repeat(65_536))], [413]],
    ['a wrong chunk length', () => [`${type}\r\n${TE}`, [`zz\r\n${part('a')}`]], [400]],
  ])('%s', async (_, make, statuses) => {
    const [head, pieces] = make()
    expect(statuses).toContain(await sendRaw(head, pieces))
  })

  test('fewer bytes than announced, and the client disconnects', async () => {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /v1/images/edits HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n${type}\r\ncontent-length: 1000000\r\n\r\n`,
    )
    socket.write(`${part('image', '; filename="a"')}${'x'.repeat(100_000)}`)
    await Bun.sleep(100)
    socket.destroy()
  })
})

const repeated = (piece: string, times: number): string[] => Array<string>(times).fill(piece)

test('an ordinary request is served while hostile forms arrive', async () => {
  const other = await newKey(gateway)
  const hostile = Array.from({ length: 8 }, () =>
    sendRaw('content-type: multipart/form-data; boundary=b\r\ncontent-length: 60000000', [
      '--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n',
      ...repeated('\r\n--'.repeat(16_000), 200),
      '\r\n--b\r\nbroken\r\n\r\n',
      ...repeated('x'.repeat(64_000), 20),
    ]),
  )
  for (let times = 0; times < 5; times++) {
    const response = await generate(gateway.url, other.secret, { model: 'img', prompt: 'a cat', size: '512x512' })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
  }
  expect(await Promise.all(hostile)).toEqual(Array(8).fill(400))
  first.received.length = 0
  expect((await other.settled()).map(({ cost_usd }) => cost_usd)).toEqual(Array(5).fill('0.02'))
})

test.each([
  '../../../etc/passwd',
  '/etc/passwd',
  'C:\\Windows\\a.png',
  'a\u0000b.png',
  '..',
  'a"; name="mask',
])('a file named %p is an ordinary file', async (name) => {
  const other = await newKey(gateway)
  const form = new FormData()
  form.append('image', new Blob([PNG]), name)
  form.append('model', 'img')
  form.append('prompt', 'a hat')
  first.behave((socket, request) => respondAsRequested(socket, { ...request, body: Buffer.from('{}') }))
  const response = await edit(gateway.url, other.secret, form)
  expect([200, 400]).toContain(response.status)
  first.behave(respondAsRequested)
  first.received.length = 0
})
