// A response of bytes over a real connection: what the client has when the call is settled, and what it gets when it is not.
import { afterEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '../../../../../test/support/eventually.ts'
import { serveForTest } from '../../../../http/test-support/serve.ts'
import { PRICE, startPaidCall } from '../../../test-support/paid-call.ts'
import type { KeyClaim } from '../claim.ts'
import { settle } from '../settle.ts'
import { type WrittenBytes, writeBytes } from './write-bytes.ts'

type Started = Awaited<ReturnType<typeof startPaidCall>>

let stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops) await stop()
  stops = []
})

/** Serves these pieces; every 100 bytes are charged as one image. */
function serve(pieces: () => AsyncIterable<Uint8Array>, settling: Promise<void> = Promise.resolve()) {
  const seen: { started?: Started; written: WrittenBytes[] } = { written: [] }
  const server = serveForTest(async (http) => {
    const started = await startPaidCall(http)
    seen.started = started
    stops.push(() => started.dependencies.ticker.stop())
    const { call, dependencies } = started
    return writeBytes(
      call,
      {
        contentType: 'audio/mpeg',
        pieces: pieces(),
        async settle(written) {
          seen.written.push(written)
          await settling
          const count = Math.floor(written.bytes / 100)
          const charge = PRICE.cost({
            images: Array(count).fill({ size: '512x512', quality: undefined }),
            requested: 2,
          })
          await settle(
            call,
            { outcome: written.outcome, charges: charge ? [charge] : [], sawOutput: true },
            dependencies,
          )
        },
      },
      dependencies,
    )
  })
  stops.unshift(() => server.stop())
  return { seen, server }
}

async function* of(...pieces: (Uint8Array | Promise<Uint8Array>)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield await piece
}
const bytes = (length: number, value: number) => new Uint8Array(length).fill(value)

/** What has arrived, as text. */
function receive(port: number): { socket: Socket; text(): string } {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (data) => {
    text += data.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  stops.unshift(() => socket.destroy())
  return { socket, text: () => text }
}

test('pieces leave as they come, the last one after the settlement', async () => {
  const [third, settled] = [Promise.withResolvers<Uint8Array>(), Promise.withResolvers<void>()]
  const { seen, server } = serve(() => of(bytes(100, 97), bytes(50, 98), third.promise), settled.promise)
  const { text } = receive(server.port)
  await eventually(() => text().includes('a'.repeat(100)))
  expect(text()).toContain('content-type: audio/mpeg')
  third.resolve(bytes(50, 99))
  await eventually(() => text().includes('b'.repeat(50)) && seen.written.length > 0)
  expect([seen.written, seen.started?.ends]).toEqual([[{ outcome: 'completed', bytes: 200, body: undefined }], []])
  expect(text()).not.toContain('ccc')
  settled.resolve()
  await eventually(() => text().endsWith(`${'c'.repeat(50)}\r\n0\r\n\r\n`))
  expect(seen.started?.ends).toEqual([{ cost: 120n, outcome: 'completed' }])
})

test('without a single byte there is an error, and nothing is charged', async () => {
  const started = await startPaidCall()
  stops.push(() => started.dependencies.ticker.stop())
  const response = { contentType: 'audio/mpeg', pieces: of(), settle: async () => {} }
  const failing = started.run(() => writeBytes(started.call, response, started.dependencies))
  expect(await failing.catch(String)).toBe('Failure: The upstream sent an empty response.')
  expect(started.ends).toEqual([{ cost: 0n, outcome: 'failed' }])
})

test.each([1, 2])('a break behind piece %i is charged for what came, which the client gets', async (count) => {
  async function* broken() {
    for (let piece = 0; piece < count; piece++) yield bytes(100, 97 + piece)
    throw new Error('reset')
  }
  const { seen, server } = serve(broken)
  const { socket, text } = receive(server.port)
  await new Promise((resolve) => socket.on('close', resolve))
  expect(text()).toStartWith('HTTP/1.1 200')
  expect(text()).toContain((count === 1 ? 'a' : 'b').repeat(100))
  expect(text()).not.toEndWith('0\r\n\r\n')
  expect(seen.started?.ends).toEqual([{ cost: 60n * BigInt(count), outcome: 'cut' }])
})

test('nothing more is read while the client does not read; its disconnect is charged once', async () => {
  const [MIB, MOST] = [1024 * 1024, 256]
  let read = 0
  async function* many() {
    for (; read < MOST; read++) yield bytes(MIB, 97)
  }
  const { seen, server } = serve(many)
  const { socket, text } = receive(server.port)
  await eventually(() => text() !== '')
  socket.pause()
  // What the two sides buffer is far less than what there is to send.
  let before = -1
  await eventually(() => {
    const isStill = read === before
    before = read
    return isStill
  })
  expect(read).toBeLessThan(MOST / 2)
  socket.destroy()
  await eventually(() => seen.started?.ends.length === 1)
  expect(seen.written).toMatchObject([{ outcome: 'client_disconnected', bytes: MOST * MIB }])
})

test.each([
  [true, [97, 98]],
  [false, undefined],
])('a request with an idempotency key keeps its bytes if there is memory: %p', async (hasMemory, kept) => {
  const started = await startPaidCall()
  stops.push(() => started.dependencies.ticker.stop())
  const { call, dependencies } = started
  Object.assign(call.slot, { grow: () => hasMemory })
  let written: WrittenBytes | undefined
  const response = await writeBytes(
    { ...call, claim: {} as KeyClaim },
    {
      contentType: 'audio/mpeg',
      pieces: of(bytes(10, 97), bytes(10, 98)),
      async settle(found) {
        written = found
      },
    },
    dependencies,
  )
  const { body } = response
  if (body instanceof Uint8Array) throw new Error('not streamed')
  expect(await body.run({ write: () => undefined })).toEqual(bytes(10, 98))
  expect(written?.body?.map(([first]) => first)).toEqual(kept)
})
