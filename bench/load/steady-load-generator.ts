// The process behind steady-load.ts. Raw sockets, so that it costs little beside the server under test. Reads one plan as a
// line of JSON from standard input and writes one line of results.
import type { Socket } from 'bun'
import { quantile } from '../harness/measure.ts'
import { ResponseReader } from './response-reader.ts'
import type { Second, SteadyPlan, SteadyResult } from './steady-load.ts'

type Bucket = Omit<Second, 'p50Ms' | 'p99Ms'> & { latencies: number[] }
type Connection = { dueAt: number; bucket: Bucket | undefined; answer: ResponseReader }

const input = Bun.stdin.stream().getReader()
const decoder = new TextDecoder()
let text = ''
while (!text.includes('\n')) text += decoder.decode((await input.read()).value, { stream: true })
const plan = JSON.parse(text) as SteadyPlan
const requests = plan.keys.map((key) => Buffer.from(requestFor(plan, key)))

function requestFor({ host, port, path, body }: SteadyPlan, key: string): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${host}:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'accept: application/json',
    'user-agent: bench/1.0',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

const idle: Socket<Connection>[] = []
let [connections, turn] = [0, 0]

function open(dueAt: number, bucket: Bucket): void {
  connections++
  const failed = () => {
    bucket.failed++
    connections--
  }
  Bun.connect<Connection>({
    hostname: plan.host,
    port: plan.port,
    data: { dueAt, bucket, answer: new ResponseReader() },
    socket: {
      open: (socket) => send(socket, dueAt, bucket),
      data: receive,
      close(socket) {
        connections--
        if (socket.data.bucket) socket.data.bucket.failed++
        socket.data.bucket = undefined
        const at = idle.indexOf(socket)
        if (at >= 0) idle.splice(at, 1)
      },
      error() {},
    },
  }).catch(failed)
}

function send(socket: Socket<Connection>, dueAt: number, bucket: Bucket): void {
  socket.data.dueAt = dueAt
  socket.data.bucket = bucket
  const request = requests[turn++ % requests.length]
  // Requests are small and socket buffers empty: one write is enough.
  if (request) socket.write(request)
}

function receive(socket: Socket<Connection>, bytes: Buffer): void {
  const { data } = socket
  if (!data.answer.take(bytes)) return
  const { bucket, dueAt } = data
  const { status } = data.answer
  data.bucket = undefined
  idle.push(socket)
  if (!bucket) return
  if (status === '503') bucket.shed++
  else if (status !== '200') bucket.failed++
  else {
    bucket.served++
    bucket.latencies.push(performance.now() - dueAt)
  }
  sendDue()
}

function ask(dueAt: number, bucket: Bucket): void {
  const socket = idle.pop()
  if (!socket && connections >= plan.mostConnections) return void bucket.unsent++
  bucket.sent++
  if (socket) send(socket, dueAt, bucket)
  else open(dueAt, bucket)
}

const newBucket = (): Bucket => ({ sent: 0, served: 0, shed: 0, failed: 0, unsent: 0, latencies: [] })

/** Sends what is due, every millisecond and whenever a connection is idle again. */
let sendDue = (): void => {}

async function runPhase({ perSecond, seconds }: SteadyPlan['phases'][number]): Promise<Bucket[]> {
  const buckets = Array.from({ length: seconds }, newBucket)
  const startedAt = performance.now()
  let due = 0
  sendDue = () => {
    const elapsed = performance.now() - startedAt
    for (; due < perSecond * seconds && (due * 1_000) / perSecond <= elapsed; due++) {
      const bucket = buckets[Math.floor(due / perSecond)]
      // Latency counts from when a request was due, not from when it was sent.
      if (bucket) ask(startedAt + (due * 1_000) / perSecond, bucket)
    }
  }
  for (; due < perSecond * seconds; await Bun.sleep(1)) sendDue()
  return buckets
}

const health = { asked: 0, failed: 0, longestMs: 0 }
async function askHealth(): Promise<void> {
  const begun = performance.now()
  health.asked++
  const answer = await fetch(`http://${plan.host}:${plan.port}/health`).catch(() => undefined)
  await answer?.arrayBuffer()
  if (answer?.status !== 200) health.failed++
  health.longestMs = Math.max(health.longestMs, performance.now() - begun)
}
const asking = setInterval(() => void askHealth(), 100)

const phases: Bucket[][] = []
for (const phase of plan.phases) phases.push(await runPhase(phase))
clearInterval(asking)
// Requests in flight get some time; those without a response then have failed.
const end = performance.now() + 5_000
while (idle.length < connections && performance.now() < end) await Bun.sleep(20)
const result: SteadyResult = { phases: phases.map((buckets) => buckets.map(summary)), health }

function summary({ latencies, ...counts }: Bucket): Second {
  const sorted = Float64Array.from(latencies).toSorted()
  const failed = counts.sent - counts.served - counts.shed
  return { ...counts, failed, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}
console.log(JSON.stringify(result))
process.exit(0)
