// The load generator, a process of its own: raw sockets, so that it costs little beside the server under test.
// Reads one plan as a line of JSON from standard input and writes one line of results.
import type { Socket } from 'bun'
import { quantile } from '../harness/measure.ts'
import type { LoadPlan, LoadResult } from './load.ts'
import { ResponseReader } from './response-reader.ts'

/** Open streams that have not begun yet: two generators stay below what a gateway calls overload. */
const MOST_BEGINNING = 50

type Connection = { startedAt: number; answer: ResponseReader }

const input = Bun.stdin.stream().getReader()
const plan = JSON.parse(await readLine()) as LoadPlan
const requests = plan.keys.map((key) => requestFor(plan, key))
const latencies = new Float64Array(plan.requests)
let [sent, finished, reads, bytesRead, opened, closed] = [0, 0, 0, 0, 0, 0]
const over = Promise.withResolvers<void>()

async function readLine(): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes('\n')) {
    const { done, value } = await input.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  return text
}

function requestFor({ host, port, path, body, headers = {} }: LoadPlan, key: string): Uint8Array {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${host}:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    // Required by one dialect, ignored by the others.
    'msg-version: 2023-06-01',
    'accept: application/json',
    'user-agent: bench/1.0',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return new TextEncoder().encode(`${head.join('\r\n')}\r\n\r\n${body}`)
}

const unsent = new WeakMap<Socket<Connection>, Uint8Array>()

function send(socket: Socket<Connection>, bytes: Uint8Array): void {
  const written = Math.max(0, socket.write(bytes))
  if (written < bytes.length) unsent.set(socket, bytes.subarray(written))
  else unsent.delete(socket)
}

function next(socket: Socket<Connection>): void {
  const request = requests[sent % requests.length]
  if (!request || sent >= plan.requests) return void socket.end()
  sent++
  socket.data.startedAt = performance.now()
  send(socket, request)
}

function receive(socket: Socket<Connection>, bytes: Buffer): void {
  const { answer, startedAt } = socket.data
  reads++
  bytesRead += bytes.length
  if (!answer.take(bytes)) return
  latencies[finished++] = performance.now() - startedAt
  if (finished === plan.requests) over.resolve()
  next(socket)
}

/** `waits` keeps reading open streams, `stalls` stops reading. */
function begun(socket: Socket<Connection>, status: string, head: string): void {
  if (status !== '200') over.reject(new Error(head.slice(0, 500)))
  if (plan.reader === 'reads') return
  if (plan.reader === 'stalls') socket.pause()
  if (++opened === plan.requests) over.resolve()
}

function ready(socket: Socket<Connection>): void {
  socket.data = { startedAt: 0, answer: new ResponseReader((status, head) => begun(socket, status, head)) }
  next(socket)
}

function connect(): Promise<Socket<Connection>> {
  return Bun.connect<Connection>({
    hostname: plan.host,
    port: plan.port,
    socket: {
      open: ready,
      data: receive,
      drain(socket) {
        const rest = unsent.get(socket)
        if (rest) send(socket, rest)
      },
      close() {
        if (++closed === plan.connections && plan.reader === 'waits') console.log(`ended ${finished}`)
        if (finished + opened < plan.requests && sent < plan.requests) over.reject(new Error('connection closed'))
      },
      error(_, error) {
        over.reject(error)
      },
    },
  })
}

const startedAt = performance.now()
const sockets: Socket<Connection>[] = []
for (let index = 0; index < plan.connections; index++) {
  // Thousands of streams that all begin in one moment are overload, which is another scenario.
  while (plan.reader === 'waits' && index - opened >= MOST_BEGINNING) await Promise.race([Bun.sleep(1), over.promise])
  sockets.push(await connect())
}
await over.promise
const seconds = (performance.now() - startedAt) / 1000
const sorted = latencies.subarray(0, finished).toSorted()
const result: LoadResult = {
  requestsPerSecond: finished / seconds,
  p50Ms: quantile(sorted, 0.5),
  p99Ms: quantile(sorted, 0.99),
  reads,
  bytesRead,
}
console.log(JSON.stringify(result))
// Open connections are kept until the parent process closes the input or ends.
if (plan.reader !== 'reads') while (!(await input.read()).done) {}
process.exit(0)
