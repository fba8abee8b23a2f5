// The endpoints of the video-tasks dialect: submit, query, list, delete; and the files that tasks have made.

import { type Bytes, bodyOf, type Sleep, type Step, whenAborted } from '../delivery/body.ts'
import { errorHeaders, SandboxError, type SandboxErrorInfo } from '../request/errors.ts'
import { type Film, renderFilm, sizeOf } from './film.ts'
import { readSubmit, type VideoOrder } from './submit.ts'
import { openTasks, recordOf, statusOf, type Task } from './tasks.ts'

export type VideoOptions = {
  /** Whether requests may select faults. */
  faults: boolean
  /** Milliseconds since 1970. */
  clock: () => number
  sleep: Sleep
}

/** Undefined: the path is none of these endpoints. The caller has checked the key; files need none. */
export type VideoEndpoints = (request: Request, url: URL) => Promise<Response | undefined>

const TASKS = '/api/v3/contents/generations/tasks'
const FILE = /^\/sandbox-videos\/([\w-]+)\.(mp4|png)$/
const LABELLED = { 'x-sandbox': 'true' }
const PIECE_BYTES = 32 * 1024

export function openVideoEndpoints(options: VideoOptions): VideoEndpoints {
  const { clock } = options
  const tasks = openTasks(clock)

  const taskAt = (id: string): Task => {
    const task = tasks.find(id)
    if (task === undefined) throw notFound()
    return task
  }

  const submit = async (request: Request): Promise<Response> => {
    const order = readSubmit(await request.bytes(), request.headers.get('x-sandbox-fault') ?? '', options.faults)
    const { status } = order.faults.numbers
    if (status !== undefined)
      throw new SandboxError({ status, message: `[sandbox] The fault switch asked for status ${status}.` })
    const task = tasks.add(order)
    if (order.faults.flags.has('hang-submit')) await whenAborted(request.signal)
    request.signal.throwIfAborted()
    if (!order.faults.flags.has('cut-submit')) return json({ id: task.id })
    return new Response(bodyOf(cut(), request.signal, options.sleep), { headers: LABELLED })
  }

  const query = (id: string, origin: string): Response => {
    const task = taskAt(id)
    if (task.hiddenFor > 0) {
      task.hiddenFor--
      throw notFound()
    }
    return json(recordOf(task, clock(), origin))
  }

  const list = ({ searchParams, origin }: URL): Response => {
    const wanted = (name: string) => searchParams.getAll(name).flatMap((value) => value.split(','))
    const [statuses, ids, models] = ['filter.status', 'filter.task_ids', 'filter.model'].map(wanted)
    const matches = (values: string[] | undefined, value: unknown) =>
      values === undefined || values.length === 0 || values.includes(String(value))
    const found = tasks
      .newestFirst()
      .map((task) => recordOf(task, clock(), origin))
      .filter(({ id, status, model }) => matches(statuses, status) && matches(ids, id) && matches(models, model))
    const [page, size] = [Number(searchParams.get('page_num') ?? 1), Number(searchParams.get('page_size') ?? 10)]
    if (![page, size].every((number) => Number.isInteger(number) && number >= 1 && number <= 500))
      throw new SandboxError({ status: 400, message: 'Invalid page.', param: 'page_num', code: 'InvalidParameter' })
    return json({ total: found.length, items: found.slice((page - 1) * size, page * size) })
  }

  const remove = (id: string): Response => {
    const task = taskAt(id)
    const { status } = statusOf(task, clock())
    if (status === 'running' || status === 'cancelled') {
      const message = `The task is ${status} and cannot be deleted.`
      throw new SandboxError({ status: 403, message, param: 'task_id', code: 'OperationDenied.InvalidState' })
    }
    if (status === 'queued') task.cancelledAt = clock()
    else tasks.remove(id)
    return new Response(null, { status: 204, headers: LABELLED })
  }

  const download = async (id: string, kind: string, signal: AbortSignal): Promise<Response> => {
    const task = taskAt(id)
    if (statusOf(task, clock()).status !== 'succeeded') throw notFound()
    const { mp4, lastFrame } = await renderFilm(filmOf(task.order))
    const file = kind === 'mp4' ? mp4 : lastFrame
    const headers = { ...LABELLED, 'content-type': kind === 'mp4' ? 'video/mp4' : 'image/png' }
    const pause = task.order.faults.numbers['slow-download']
    if (pause === undefined) return new Response(file, { headers })
    const withLength = { ...headers, 'content-length': String(file.length) }
    return new Response(bodyOf(slowly(file, pause), signal, options.sleep), { headers: withLength })
  }

  const answer = async (request: Request, url: URL): Promise<Response | undefined> => {
    const { method } = request
    const { pathname, origin } = url
    const [, fileId, kind] = FILE.exec(pathname) ?? []
    if (fileId !== undefined && kind !== undefined && method === 'GET') return download(fileId, kind, request.signal)
    if (pathname === TASKS) return method === 'POST' ? submit(request) : method === 'GET' ? list(url) : undefined
    if (!pathname.startsWith(`${TASKS}/`)) return undefined
    const id = decodeURIComponent(pathname.slice(TASKS.length + 1))
    return method === 'GET' ? query(id, origin) : method === 'DELETE' ? remove(id) : undefined
  }

  return async (request, url) => {
    try {
      return await answer(request, url)
    } catch (thrown) {
      if (thrown instanceof SandboxError) return json(errorBody(thrown.info), thrown.info.status)
      throw thrown
    }
  }
}

const notFound = (): SandboxError =>
  new SandboxError({ status: 404, message: 'The task is not found.', param: 'task_id', code: 'NotFound.task_id' })

const filmOf = ({ prompt, resolution, ratio, seconds, seed }: VideoOrder): Film => ({
  ...{ prompt, seconds, seed },
  ...sizeOf(resolution, ratio),
})

function* cut(): Generator<Step> {
  yield { type: 'cut' }
}

function* slowly(file: Bytes, ms: number): Generator<Step> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) {
    yield { type: 'wait', ms }
    yield { type: 'write', bytes: file.subarray(at, at + PIECE_BYTES) }
  }
}

const TYPES: Readonly<Record<number, [code: string, type: string]>> = {
  400: ['InvalidParameter', 'BadRequest'],
  401: ['AuthenticationError', 'Unauthorized'],
  403: ['AccessDenied', 'Forbidden'],
  404: ['NotFound', 'NotFound'],
  429: ['RateLimitExceeded.EndpointRPMExceeded', 'TooManyRequests'],
}

/** All four are text. */
export function errorBody({ status, message, param, code }: SandboxErrorInfo): object {
  const [byDefault, type] = TYPES[status] ?? (status < 500 ? ['InvalidParameter', 'BadRequest'] : FAILED)
  return { error: { code: code ?? byDefault, message, param: param ?? '', type } }
}

const FAILED = ['InternalServiceError', 'InternalServerError'] as const

const json = (body: object, status = 200): Response =>
  Response.json(body, { status, headers: { ...LABELLED, ...errorHeaders(status) } })
