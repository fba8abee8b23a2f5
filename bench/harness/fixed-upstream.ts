// The fixed-response upstream, a process of its own. Raw sockets, because a server library could join or split events. Prints
// its port.
import type { Socket } from 'bun'
import { pace } from './pace.ts'
import { jsonReply, lastEvents, textEvent, vectorsReply } from './wire.ts'

type Connection = {
  /** The head as far as it has arrived; undefined while the body arrives. */
  head: string | undefined
  path: string
  bodyLeft: number
  stream: Stream | undefined
  /** Bytes that the socket has not accepted yet. */
  unsent: Uint8Array | undefined
}
type Stream = { pieces: readonly Uint8Array[]; everyMs: number; next: number }

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const END = '0\r\n\r\n'

const answerOf = (reply: string): Uint8Array =>
  encode(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(reply)}\r\n\r\n${reply}`,
  )
const JSON_ANSWER = answerOf(jsonReply())
const vectors = new Map<string, Uint8Array>()
const OPEN_ANSWER = encode(STREAM_HEAD + chunk(textEvent(0)))

const known = new Map<string, readonly Uint8Array[]>()

/** The pieces of a stream, made once for each shape; the pieces of long streams repeat, and are shared. */
function piecesOf(events: number, perWrite: number): readonly Uint8Array[] {
  const name = `${events}/${perWrite}`
  let pieces = known.get(name)
  if (!pieces) {
    const piece = (first: number) =>
      encode(chunk(Array.from({ length: perWrite }, (_, index) => textEvent(first + index)).join('')))
    const different = Array.from({ length: Math.min(20, Math.ceil(events / perWrite)) }, (_, i) => piece(i * perWrite))
    const all = Array.from({ length: Math.ceil(events / perWrite) }, (_, index) => different[index % different.length])
    pieces = [encode(STREAM_HEAD), ...all.filter((each) => each !== undefined), encode(chunk(lastEvents()) + END)]
    known.set(name, pieces)
  }
  return pieces
}

function write(socket: Socket<Connection>, bytes: Uint8Array): boolean {
  const written = socket.write(bytes)
  if (written === bytes.length) return true
  socket.data.unsent = bytes.subarray(Math.max(0, written))
  return false
}

/** false: that was the last piece, or the socket is full. */
function sendNext(socket: Socket<Connection>): boolean {
  const { stream, unsent } = socket.data
  const piece = unsent ? undefined : stream?.pieces[stream.next++]
  if (!stream || !piece) return false
  const taken = write(socket, piece)
  if (stream.next === stream.pieces.length) socket.data.stream = undefined
  return taken && socket.data.stream !== undefined
}

function answer(socket: Socket<Connection>, path: string): void {
  const [, kind, events, perWrite, everyMs] = path.split('/')
  if (kind === 'json') write(socket, JSON_ANSWER)
  // The second part of the path is how long it takes, in milliseconds.
  else if (kind === 'slow') setTimeout(() => write(socket, JSON_ANSWER), Number(events))
  else if (kind === 'vectors') {
    const made = vectors.get(path) ?? answerOf(vectorsReply(Number(events), Number(perWrite)))
    vectors.set(path, made)
    write(socket, made)
  } else if (kind === 'open') write(socket, OPEN_ANSWER)
  else {
    const stream = { pieces: piecesOf(Number(events), Number(perWrite)), everyMs: Number(everyMs), next: 0 }
    socket.data.stream = stream
    if (stream.everyMs > 0) {
      sendNext(socket)
      pace(stream.everyMs, () => {
        sendNext(socket)
        return socket.data.stream !== undefined
      })
    } else while (sendNext(socket)) {}
  }
}

function drain(socket: Socket<Connection>): void {
  const { unsent, stream } = socket.data
  socket.data.unsent = undefined
  if (unsent && !write(socket, unsent)) return
  if (stream?.everyMs === 0) while (sendNext(socket)) {}
}

function receive(socket: Socket<Connection>, bytes: Uint8Array): void {
  const connection = socket.data
  let rest = bytes
  if (connection.head !== undefined) {
    const before = connection.head.length
    connection.head += Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16_384)).toString('latin1')
    const end = connection.head.indexOf('\r\n\r\n')
    if (end === -1) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(connection.head)?.[1]
    // Chunked requests are not supported; no server under test sends them.
    if (length === undefined) throw new Error(`a request without content-length: ${connection.head.slice(0, end)}`)
    connection.bodyLeft = Number(length)
    connection.path = connection.head.split(' ', 2)[1] ?? '/'
    rest = bytes.subarray(end + 4 - before)
    connection.head = undefined
  }
  connection.bodyLeft -= rest.length
  if (connection.bodyLeft > 0) return
  connection.head = ''
  answer(socket, connection.path)
}

const server = Bun.listen<Connection>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open(socket) {
      socket.data = { head: '', path: '/', bodyLeft: 0, stream: undefined, unsent: undefined }
      socket.setNoDelay(true)
    },
    data: receive,
    drain,
    close(socket) {
      socket.data.stream = undefined
    },
    error() {},
  },
})
console.log(`port ${server.port}`)
