// Requests that do not fit into a socket's buffer.
import { afterEach, expect, test } from 'bun:test'
import type { Socket, TCPSocketListener } from 'bun'
import { Cancel } from '../cancel.ts'
import { createHttpClient } from './client.ts'
import { readAtMost } from './read-response.ts'

const SIZE = 24_000_000
const HEAD = Buffer.from(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${SIZE}\r\n\r\n`)
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Different everywhere, in memory of its own. */
function bodyOf(seed: number): Uint8Array[] {
  const bytes = new Uint8Array(SIZE)
  for (let at = 0; at < SIZE; at++) bytes[at] = (at * 7 + (at >> 8) + seed) & 0xff
  return [bytes.subarray(0, 11), bytes.subarray(11, 9_000_000), bytes.subarray(9_000_000)]
}
const hashOf = (...pieces: Uint8Array[]) => {
  const hasher = new Bun.CryptoHasher('sha1')
  for (const piece of pieces) hasher.update(piece)
  return hasher.digest('hex')
}

type Seen = { number: number; bytes: number; hasher: Bun.CryptoHasher }
const servers: TCPSocketListener<Seen>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true)
})

type Behaviour = {
  /** Reads nothing before this resolves. */
  open(socket: Socket<Seen>): void
  whole(socket: Socket<Seen>, hash: string): void
  /** Closes the connection instead of reading on. */
  breaks?(seen: Seen): boolean
}

/** A server that counts and hashes what it reads. */
function upstream({ open, whole, breaks }: Behaviour): string {
  let connections = 0
  const fresh = (number: number): Seen => ({ number, bytes: 0, hasher: new Bun.CryptoHasher('sha1') })
  const server = Bun.listen<Seen>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = fresh(++connections)
        socket.pause()
        open(socket)
      },
      data(socket, bytes) {
        const { number, hasher } = socket.data
        if (breaks?.(socket.data)) return void socket.terminate()
        socket.data.bytes += bytes.length
        hasher.update(bytes)
        if (socket.data.bytes < HEAD.length + SIZE) return
        socket.data = fresh(number)
        whole(socket, hasher.digest('hex'))
      },
    },
  })
  servers.push(server)
  return `http://127.0.0.1:${server.port}`
}

/** The clock stands still, because the time after which a stale connection fails depends on the machine. */
const http1 = createHttpClient(() => 0)
const textOf = async (reply: Awaited<ReturnType<typeof http1>>) =>
  Buffer.from((await readAtMost(reply, 100)) ?? []).toString()

test('two at once arrive completely at a server that reads late', async () => {
  const hashes: string[] = []
  const origin = upstream({
    open: (socket) => void setTimeout(() => socket.resume(), 30),
    whole(socket, hash) {
      hashes.push(hash)
      socket.write(OK)
    },
  })
  const [one, other] = [bodyOf(1), bodyOf(2)]
  const ask = (body: Uint8Array[]) => http1(origin, [HEAD, ...body], new Cancel())
  expect(await Promise.all((await Promise.all([ask(one), ask(other)])).map(textOf))).toEqual(['ok', 'ok'])
  expect(hashes.sort()).toEqual([hashOf(HEAD, ...one), hashOf(HEAD, ...other)].sort())
})

test('a server that responds before it reads gets the whole request, although its memory is released', async () => {
  const read = Promise.withResolvers<string>()
  let reading: Socket<Seen> | undefined
  const origin = upstream({
    open(socket) {
      reading = socket
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n')
    },
    whole(socket, hash) {
      read.resolve(hash)
      socket.write('ok')
    },
  })
  const body = bodyOf(3)
  const expected = hashOf(HEAD, ...body)
  const reply = await http1(origin, [HEAD, ...body], new Cancel())
  const buffer = body[0]?.buffer
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  expect(body[2]?.length).toBe(0)
  reading?.resume()
  expect(await textOf(reply)).toBe('ok')
  expect(await read.promise).toBe(expected)
})

test('cancelled while partly unsent: the connection is closed, others are not affected', async () => {
  const hashes: string[] = []
  const origin = upstream({
    open(socket) {
      if (socket.data.number > 1) socket.resume()
    },
    whole(socket, hash) {
      hashes.push(hash)
      socket.write(OK)
    },
  })
  const cancel = new Cancel()
  const given = http1(origin, [HEAD, ...bodyOf(4)], cancel)
  const kept = bodyOf(5)
  const keeping = http1(origin, [HEAD, ...kept], new Cancel())
  await Bun.sleep(20)
  cancel.cancel()
  await expect(given).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(await textOf(await keeping)).toBe('ok')
  expect(hashes).toEqual([hashOf(HEAD, ...kept)])
})

test('a stale connection: the whole request is sent again', async () => {
  const hashes: string[] = []
  const origin = upstream({
    open: (socket) => void socket.resume(),
    whole(socket, hash) {
      hashes.push(hash)
      socket.write(OK)
    },
    breaks: ({ number }) => number === 1 && hashes.length === 1,
  })
  const bodies = [bodyOf(6), bodyOf(7)]
  for (const body of bodies) expect(await textOf(await http1(origin, [HEAD, ...body], new Cancel()))).toBe('ok')
  expect(hashes).toEqual(bodies.map((body) => hashOf(HEAD, ...body)))
})
