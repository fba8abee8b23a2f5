// An upstream of video tasks that follows a script. Every switch can be set at any moment. It records all requests, and is
// the judge of whether a submit was sent twice.
import type { Socket } from 'node:net'
import {
  type Behaviour,
  chunk,
  head,
  type Received,
  respondWith,
  startUpstream,
  type Upstream,
} from './raw-upstream.ts'

/** What happens to a request: `cut` closes the connection without a response, `hang` never responds. */
export type Fault = 'cut' | 'hang' | { status: number; body?: object | string; headers?: Record<string, string> }

/** `accept-cut` and `accept-hang` make the task, but the gateway does not learn that; the other faults make none. */
export type SubmitStep = 'accept' | 'accept-cut' | 'accept-hang' | Fault

/** A status, or fields of the record besides it. */
export type State = string | ({ status: string } & Record<string, unknown>)

/**
 * - `trickle`: a byte every `slowMs` for as long as the script trickles, then the rest.
 * - `slow`: a piece of the file every `slowMs`. `stall`: a first piece, then nothing.
 * - `short`: the connection ends before the declared length. `broken`: the same in chunks.
 * - `endless`: chunks without an end. `oversized`: a declared length of 1 TB.
 * - `redirect`: to the same file under another name of this host, which needs no key.
 */
export type DownloadMode =
  | 'works'
  | 'slow'
  | 'trickle'
  | 'stall'
  | 'short'
  | 'broken'
  | 'endless'
  | 'oversized'
  | 'redirect'
  | Fault

export type Operation = 'submit' | 'query' | 'list' | 'delete' | 'download' | 'unknown'

export type RecordedRequest = {
  /** Milliseconds since 1970, with fractions. */
  at: number
  operation: Operation
  /** The task; for a submit undefined if none was made. */
  id: string | undefined
  /** The reference of the task, as the gateway sent it in its submit. */
  reference: string | undefined
  received: Received
}

export type ScriptedTask = {
  id: string
  reference: string | undefined
  /** The body of the submit. */
  request: Record<string, unknown>
  /** Each query is answered with the first state and removes it, except the last one. */
  states: State[]
  /** So many queries are answered with 404. */
  hiddenFor: number
  createdAt: number
}

export type VideoScript = {
  /** For the next submits, one each; then `submit` applies. */
  nextSubmits: SubmitStep[]
  submit: SubmitStep
  /** The states of tasks made from now on. */
  states: State[]
  /** How many queries of tasks made from now on are answered with 404. */
  hiddenFor: number
  /** For the next queries, one each; then `query` applies. */
  nextQueries: ('works' | Fault)[]
  query: 'works' | Fault
  /** Added to every response to a submit or a query that works, such as retry-after. */
  headers: Record<string, string>
  /** Whether records have the `safety_identifier` of their submit. */
  echo: boolean
  list: 'works' | Fault
  /** `works`: by the state of the task, as the vendor does it, with 409 while it runs. `allow`: in any state. */
  cancel: 'works' | 'allow' | Fault
  nextDownloads: DownloadMode[]
  download: DownloadMode
  slowMs: number
  trickles: boolean
  video: Buffer
  lastFrame: Buffer
  /** Where the files of a finished task are; by default at this upstream. */
  fileUrl(id: string, file: 'video.mp4' | 'frame.png'): string
}

export type RecordedSubmit = {
  at: number
  /** '' if it has none. */
  reference: string
  made: boolean
  /** Whether a status was sent to the gateway. */
  isAnswered: boolean
}

export type ScriptedVideo = {
  upstream: Upstream
  /** As `base_url` of an upstream of the dialect video-tasks. */
  baseUrl: string
  script: VideoScript
  /** All tasks ever made, by their id, also those that were deleted. */
  tasks: Map<string, ScriptedTask>
  requests: RecordedRequest[]
  submits: RecordedSubmit[]
  count(operation: Operation): number
  /** How many submits were received with this reference, and how many tasks they made. */
  submitsOf(reference: string): { received: number; made: number }
  /** Forgets all requests and tasks, and returns to a script in which everything works. */
  reset(): void
  stop(): void
}

const TASKS = /^(GET|POST|DELETE) \S*\/contents\/generations\/tasks(?:\/([^?\s]+))?(?:\?(\S*))? HTTP/
const FILE = /^GET \/(?:files|signed)\/([^/\s]+)\/(video\.mp4|frame\.png)/
const TERABYTE = 1_000_000_000_000
const PIECES = 10

/** The first box of an MP4, then bytes that differ from each other. */
const VIDEO = Buffer.concat([
  Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp42', 'latin1'),
  Buffer.from(Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31 + (index >> 8)) & 255)),
])
const FRAME = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

export async function startScriptedVideo(): Promise<ScriptedVideo> {
  const tasks = new Map<string, ScriptedTask>()
  const deleted = new Set<string>()
  const requests: RecordedRequest[] = []
  const submits: RecordedSubmit[] = []
  let made = 0

  const works = (): VideoScript => ({
    nextSubmits: [],
    submit: 'accept',
    states: ['queued', 'running', 'succeeded'],
    hiddenFor: 0,
    nextQueries: [],
    query: 'works',
    headers: {},
    echo: true,
    list: 'works',
    cancel: 'works',
    nextDownloads: [],
    download: 'works',
    slowMs: 50,
    trickles: true,
    video: VIDEO,
    lastFrame: FRAME,
    fileUrl: (id, file) => `${origin}/files/${id}/${file}`,
  })

  const recordOf = (task: ScriptedTask): Record<string, unknown> => {
    const [state = 'queued'] = task.states
    const fields = typeof state === 'string' ? { status: state } : state
    const { model, resolution = '720p', ratio = '16:9', duration = 5, return_last_frame: hasFrame } = task.request
    const seconds = Math.floor(task.createdAt / 1_000)
    const content = {
      video_url: script.fileUrl(task.id, 'video.mp4'),
      ...(hasFrame === true ? { last_frame_url: script.fileUrl(task.id, 'frame.png') } : {}),
    }
    return {
      id: task.id,
      model,
      resolution,
      ratio,
      duration,
      created_at: seconds,
      updated_at: seconds,
      ...(script.echo && task.reference !== undefined ? { safety_identifier: task.reference } : {}),
      ...(fields.status === 'succeeded' ? { content, usage: { completion_tokens: 1_000, total_tokens: 1_000 } } : {}),
      ...(fields.status === 'failed' ? { error: { code: 'InternalServiceError', message: 'It failed.' } } : {}),
      ...fields,
    }
  }

  const submit = (request: Received, entry: RecordedRequest): Behaviour => {
    const step = script.nextSubmits.shift() ?? script.submit
    const body = JSON.parse(request.body.toString()) as Record<string, unknown>
    const reference = typeof body.safety_identifier === 'string' ? body.safety_identifier : undefined
    entry.reference = reference
    const isMade = step === 'accept' || step === 'accept-cut' || step === 'accept-hang'
    const isAnswered = step === 'accept' || typeof step === 'object'
    submits.push({ at: entry.at, reference: reference ?? '', made: isMade, isAnswered })
    if (!isMade) return faulty(step)
    const id = `cgt-${++made}`
    entry.id = id
    const { states, hiddenFor } = script
    tasks.set(id, { id, reference, request: body, hiddenFor, states: [...states], createdAt: Date.now() })
    if (step === 'accept') return respondWith({ id }, 200, script.headers)
    return faulty(step === 'accept-cut' ? 'cut' : 'hang')
  }

  const query = (id: string): Behaviour => {
    const step = script.nextQueries.shift() ?? script.query
    if (step !== 'works') return faulty(step)
    const task = deleted.has(id) ? undefined : tasks.get(id)
    if (!task || task.hiddenFor > 0) {
      if (task) task.hiddenFor--
      return faulty({ status: 404 })
    }
    const record = recordOf(task)
    if (task.states.length > 1) task.states.shift()
    return respondWith(record, 200, script.headers)
  }

  const list = (parameters: URLSearchParams): Behaviour => {
    if (script.list !== 'works') return faulty(script.list)
    const [page, size] = [Number(parameters.get('page_num') ?? 1), Number(parameters.get('page_size') ?? 10)]
    const ids = parameters.getAll('filter.task_ids').flatMap((value) => value.split(','))
    const found = [...tasks.values()]
      .filter(({ id }) => !deleted.has(id) && (ids.length === 0 || ids.includes(id)))
      .reverse()
    const items = found.slice((page - 1) * size, page * size).map(recordOf)
    return respondWith({ total: found.length, items })
  }

  const cancel = (id: string): Behaviour => {
    const { cancel: mode } = script
    if (mode !== 'works' && mode !== 'allow') return faulty(mode)
    const task = deleted.has(id) ? undefined : tasks.get(id)
    if (!task) return faulty({ status: 404 })
    const { status } = recordOf(task)
    if (mode === 'works' && (status === 'running' || status === 'cancelled')) return faulty({ status: 409 })
    if (status === 'queued' || status === 'running') task.states = ['cancelled']
    else deleted.add(id)
    return (socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  }

  const operate = (request: Received, entry: RecordedRequest): Behaviour => {
    const [, method, id, parameters] = TASKS.exec(request.head) ?? []
    const [, fileId, file] = FILE.exec(request.head) ?? []
    const known = (operation: Operation, of: string | undefined) => {
      Object.assign(entry, { operation, id: of, reference: of === undefined ? undefined : tasks.get(of)?.reference })
    }
    if (fileId !== undefined) {
      known('download', fileId)
      const isRedirected = request.head.startsWith('GET /signed/')
      const next = isRedirected ? 'works' : (script.nextDownloads.shift() ?? script.download)
      const bytes = file === 'frame.png' ? script.lastFrame : script.video
      const type = file === 'frame.png' ? 'image/png' : 'video/mp4'
      return sendFile(next, { bytes, type, script, moved: `/signed/${fileId}/${file}` })
    }
    if (method === 'POST' && id === undefined) {
      known('submit', undefined)
      return submit(request, entry)
    }
    if (method === 'GET' && id === undefined) {
      known('list', undefined)
      return list(new URLSearchParams(parameters))
    }
    if (id === undefined) return faulty({ status: 404 })
    known(method === 'DELETE' ? 'delete' : 'query', id)
    return method === 'DELETE' ? cancel(id) : query(id)
  }

  const upstream = await startUpstream((socket, received) => {
    const entry: RecordedRequest = {
      at: performance.timeOrigin + performance.now(),
      operation: 'unknown',
      id: undefined,
      reference: undefined,
      received,
    }
    requests.push(entry)
    return operate(received, entry)(socket, received)
  })
  const { origin } = new URL(upstream.url)
  const script = works()

  return {
    upstream,
    baseUrl: `${origin}/api/v3`,
    script,
    tasks,
    requests,
    submits,
    count: (operation) => requests.filter((request) => request.operation === operation).length,
    submitsOf(reference) {
      const own = submits.filter((each) => each.reference === reference)
      return { received: own.length, made: own.filter((each) => each.made).length }
    },
    reset() {
      for (const list of [requests, submits, upstream.received]) list.length = 0
      tasks.clear()
      deleted.clear()
      Object.assign(script, works())
    },
    stop: () => upstream.stop(),
  }
}

/**
 * References whose submit was sent again although it had made a task, or although the gateway could not know whether it had; at
 * all these upstreams together.
 */
export function doubledSubmits(...upstreams: Pick<ScriptedVideo, 'submits'>[]): string[] {
  const found = new Set<string>()
  const unrepeatable = new Set<string>()
  for (const { reference, made, isAnswered } of upstreams
    .flatMap(({ submits }) => submits)
    .sort((a, b) => a.at - b.at)) {
    if (unrepeatable.has(reference)) found.add(reference)
    if (made || !isAnswered) unrepeatable.add(reference)
  }
  return [...found]
}

function faulty(fault: Fault): Behaviour {
  if (fault === 'cut') return (socket) => void socket.destroy()
  if (fault === 'hang') return () => {}
  const { status, body, headers } = fault
  const error = { code: `Status${status}`, message: `The script says ${status}.`, param: '', type: 'Scripted' }
  return respondWith(body ?? { error }, status, headers)
}

type ScriptedFile = { bytes: Buffer; type: string; script: VideoScript; moved: string }

function sendFile(mode: DownloadMode, { bytes, type, script, moved }: ScriptedFile): Behaviour {
  const headers = { 'content-type': type }
  const measured = head(200, bytes.length, headers)
  const chunked = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`
  const half = bytes.subarray(0, bytes.length >> 1)
  switch (mode) {
    case 'works':
      return (socket) => void socket.end(Buffer.concat([Buffer.from(measured), bytes]))
    case 'slow':
      return (socket) => sendSlowly(socket, measured, bytes, script.slowMs)
    case 'trickle':
      return (socket) => sendTrickling(socket, measured, bytes, script)
    case 'stall':
      return (socket) => void socket.write(Buffer.concat([Buffer.from(measured), half]))
    case 'short':
      return (socket) => void socket.end(Buffer.concat([Buffer.from(measured), half]))
    case 'broken':
      return (socket) => void socket.end(Buffer.concat([Buffer.from(chunked), chunk(half)]))
    case 'endless':
      return (socket) => sendEndlessly(socket, chunked, chunk(bytes))
    case 'oversized':
      return (socket) => void socket.write(Buffer.concat([Buffer.from(head(200, TERABYTE, headers)), half]))
    case 'redirect':
      return respondWith('', 302, { location: moved })
    default:
      return faulty(mode)
  }
}

async function sendSlowly(socket: Socket, start: string, bytes: Buffer, pauseMs: number): Promise<void> {
  socket.write(start)
  const size = Math.ceil(bytes.length / PIECES)
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    await Bun.sleep(pauseMs)
    socket.write(bytes.subarray(at, at + size))
  }
  socket.end()
}

async function sendTrickling(socket: Socket, start: string, bytes: Buffer, script: VideoScript): Promise<void> {
  socket.write(start)
  let at = 0
  for (; script.trickles && !socket.destroyed; at++) {
    socket.write(bytes.subarray(at, at + 1))
    await Bun.sleep(script.slowMs)
  }
  socket.end(bytes.subarray(at))
}

function sendEndlessly(socket: Socket, start: string, piece: Buffer): void {
  socket.write(start)
  const fill = () => {
    while (!socket.destroyed) if (!socket.write(piece)) return void socket.once('drain', fill)
  }
  fill()
}
