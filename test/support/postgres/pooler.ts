// A pooler in transaction mode, as PgBouncer is one: a client has a session of the server for one transaction, and the next one in
// another session. Settings and prepared statements of a session therefore belong to no client. With TRIVIUM_TEST_PGBOUNCER, which
// names a program, that PgBouncer is run instead.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './postgres.ts'
import { scramClient } from './scram.ts'

export type Pooler = { url: string; stop(): Promise<void> }

/** What the real one accepts from a client; others only if they are to be ignored. */
const KNOWN = ['user', 'database', 'client_encoding', 'DateStyle', 'application_name']

export type PoolerOptions = { url: string; sessions: number; ignored?: readonly string[] }

export const startPooler = (options: PoolerOptions): Promise<Pooler> =>
  process.env.TRIVIUM_TEST_PGBOUNCER ? startPgBouncer(process.env.TRIVIUM_TEST_PGBOUNCER, options) : startOwn(options)

type Client = { socket: Socket; queued: Buffer[]; session: Session | undefined; open: number }
type Session = { socket: Socket; client: Client | undefined }

async function startOwn({ url, sessions, ignored = [] }: PoolerOptions): Promise<Pooler> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const free: Session[] = []
  const waiting: Client[] = []

  for (let index = 0; index < sessions; index++) free.push(await openSession(target, sockets, onServerMessage))

  /** The session that was free for the longest: a client rarely has the same one twice. */
  function serve(): void {
    for (;;) {
      const client = waiting[0]
      const session = client && free.shift()
      if (!client || !session) return
      waiting.shift()
      session.client = client
      client.session = session
      for (const message of client.queued.splice(0)) forward(client, message)
    }
  }

  function forward(client: Client, message: Buffer): void {
    if (isType(message, 'Q') || isType(message, 'S')) client.open += 1
    client.session?.socket.write(message)
  }

  function onClientMessage(client: Client, message: Buffer): void {
    if (isType(message, 'X')) return
    if (client.session) {
      forward(client, message)
      return
    }
    client.queued.push(message)
    if (!waiting.includes(client)) waiting.push(client)
    serve()
  }

  function onServerMessage(session: Session, message: Buffer): void {
    const { client } = session
    client?.socket.write(message)
    if (!client || !isType(message, 'Z')) return
    client.open -= 1
    if (client.open > 0 || message[5] !== 'I'.charCodeAt(0)) return
    client.session = undefined
    session.client = undefined
    free.push(session)
    serve()
  }

  /** The server ends what a lost client has begun. */
  async function replace({ session }: Client): Promise<void> {
    if (!session) return
    session.socket.destroy()
    free.push(await openSession(target, sockets, onServerMessage))
    serve()
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    const client: Client = { socket, queued: [], session: undefined, open: 0 }
    let isStarted = false
    const take = splitMessages()
    socket.on('data', (chunk: Buffer) => {
      if (isStarted) return take(chunk, (message) => onClientMessage(client, message))
      isStarted = true
      const names = parametersOf(chunk).filter((name) => !KNOWN.includes(name) && !ignored.includes(name))
      if (names[0]) return void socket.end(fatal(`unsupported startup parameter: ${names[0]}`))
      socket.write(Buffer.concat([body('R', Buffer.alloc(4)), body('K', Buffer.alloc(8)), body('Z', Buffer.from('I'))]))
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      const place = waiting.indexOf(client)
      if (place >= 0) waiting.splice(place, 1)
      void replace(client)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  target.port = String((server.address() as { port: number }).port)
  return {
    url: target.href,
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function openSession(
  target: URL,
  sockets: Set<Socket>,
  onMessage: (session: Session, message: Buffer) => void,
): Promise<Session> {
  const socket = connect(Number(target.port), target.hostname)
  const session: Session = { socket, client: undefined }
  sockets.add(socket)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
  await once(socket, 'connect')
  const text = ['user', target.username, 'database', target.pathname.slice(1), 'application_name', 'pooler', '', '']
  const start = Buffer.from(text.join('\0'))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + start.length)
  head.writeUInt32BE(196_608, 4)
  const scram = scramClient(target.password)
  const ready = Promise.withResolvers<void>()
  let isReady = false
  const take = splitMessages()
  socket.on('data', (chunk: Buffer) =>
    take(chunk, (message) => {
      if (isReady) return onMessage(session, message)
      const answer = isType(message, 'R') ? scram.answer(message.readUInt32BE(5), message.subarray(9)) : undefined
      if (answer) socket.write(body('p', answer))
      if (isType(message, 'E')) ready.reject(new Error(message.toString()))
      if (!isType(message, 'Z')) return
      isReady = true
      ready.resolve()
    }),
  )
  socket.write(Buffer.concat([head, start]))
  await ready.promise
  return session
}

const isType = (message: Buffer, type: string): boolean => message[0] === type.charCodeAt(0)

function body(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(4 + content.length, 1)
  return Buffer.concat([head, content])
}

const fatal = (text: string): Buffer => body('E', Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`))

/** Names of the parameters in the first message of a client. */
const parametersOf = (message: Buffer): string[] =>
  message
    .subarray(8)
    .toString()
    .split('\0')
    .filter((text, at) => at % 2 === 0 && text !== '')

/** Gives whole messages, however they arrive. */
function splitMessages(): (chunk: Buffer, use: (message: Buffer) => void) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk, use) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      use(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

async function startPgBouncer(program: string, { url, sessions, ignored = [] }: PoolerOptions): Promise<Pooler> {
  const target = new URL(url)
  const folder = await mkdtemp(join(tmpdir(), 'trivium-pgbouncer-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const { hostname, pathname, username, password } = target
  await writeFile(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${target.port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_round_robin = 1
min_pool_size = ${sessions}
default_pool_size = ${sessions}
${ignored.length > 0 ? `ignore_startup_parameters = ${ignored.join(',')}` : ''}
`,
  )
  // It does not run as root.
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  await Bun.$`chmod -R a+rX ${folder}`.quiet()
  const child = spawn(program, [file], { ...identity, stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of child.stderr) if (String(line).includes('process up')) break
  target.port = String(port)
  return {
    url: target.href,
    async stop() {
      child.kill('SIGKILL')
      await rm(folder, { recursive: true })
    },
  }
}
