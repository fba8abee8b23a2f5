// The endpoints of videos: tasks in the video-tasks dialect, operations in the generate-content dialect, and the files that
// both have made.
import { type Bytes, bodyOf, type Sleep, type Step, whenAborted } from '../delivery/body.ts'
import { json, LABELLED } from '../delivery/json.ts'
import type { SandboxRoute } from '../paths.ts'
import { SandboxError } from '../request/errors.ts'
import { taskNotFound } from './error.ts'
import { renderFilm, sizeOf } from './film.ts'
import { operationName, operationOf, readPrediction, taskIdOf } from './operations.ts'
import { readSubmit, type Switches, type VideoOrder } from './submit.ts'
import { openTasks, recordOf, statusOf, type Task } from './tasks.ts'

export type VideoOptions = {
  /** Whether requests may select faults. */
  faults: boolean
  /** Milliseconds since 1970. */
  clock: () => number
  sleep: Sleep
}

export type VideoEndpoints = {
  /** A file that needs no key; undefined: the path is none of a file. */
  hosted(pathname: string, signal: AbortSignal): Promise<Response> | undefined
  /** `parameter`: the last one of the path. undefined: the route has nothing to do with videos. */
  answer(route: SandboxRoute, parameter: string, request: Request, url: URL): Promise<Response> | undefined
}

export function openVideoEndpoints({ clock, sleep, faults }: VideoOptions): VideoEndpoints {
  const tasks = openTasks(clock)

  const taskAt = (id: string): Task => {
    const task = tasks.find(id)
    if (task === undefined) throw taskNotFound()
    return task
  }

  /** Tasks that a fault hides are found only after some queries. */
  const visibleTaskAt = (id: string): Task => {
    const task = taskAt(id)
    if (task.hiddenFor === 0) return task
    task.hiddenFor--
    throw taskNotFound()
  }

  const submit = async (
    request: Request,
    read: (bytes: Uint8Array, switches: Switches) => VideoOrder,
    answer: (task: Task) => object,
  ): Promise<Response> => {
    const faultHeader = request.headers.get('x-sandbox-fault') ?? ''
    const order = read(await request.bytes(), { faultHeader, faultsAllowed: faults })
    const { flags, numbers } = order.faults
    const { status } = numbers
    if (status !== undefined) throw new SandboxError({ status, message: `[sandbox] Injected fault: status ${status}.` })
    const task = tasks.add(order)
    if (flags.has('hang-submit')) await whenAborted(request.signal)
    request.signal.throwIfAborted()
    if (!flags.has('cut-submit')) return json(answer(task))
    return new Response(bodyOf(cut(), request.signal, sleep), { headers: LABELLED })
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

  const fileOf = (id: string, kind: 'mp4' | 'png', signal: AbortSignal) =>
    download(taskAt(id), kind, { now: clock(), sleep, signal })

  type Answer = (parameter: string, request: Request, url: URL) => Response | Promise<Response>
  const answers: Partial<Record<SandboxRoute, Answer>> = {
    'create-video-task': (_, request) => submit(request, readSubmit, ({ id }) => ({ id })),
    'list-video-tasks': (_, __, url) => list(url),
    'show-video-task': (id, _, { origin }) => json(recordOf(visibleTaskAt(id), clock(), origin)),
    'delete-video-task': remove,
    'predict-long-running': (model, request) =>
      submit(
        request,
        (bytes, switches) => readPrediction(bytes, model, switches),
        (task) => ({ name: operationName(task) }),
      ),
    'show-operation': (id, _, { origin }) => json(operationOf(visibleTaskAt(id), clock(), origin)),
    'download-file': (name, { signal }) => fileOf(taskIdOf(name), 'mp4', signal),
  }

  return {
    hosted(pathname, signal) {
      const file = fileAt(pathname)
      return file && fileOf(file.taskId, file.kind, signal)
    },
    answer: (route, parameter, request, url) => {
      const answer = answers[route]
      return answer && Promise.resolve(answer(parameter, request, url))
    },
  }
}

function* cut(): Generator<Step> {
  yield { type: 'cut' }
}

// The files that tasks have made. They are rendered from the task when they are downloaded.
/** Below the dialect's base URL, as its other paths are. */
const FILE = /^\/api\/v3\/sandbox-videos\/([\w-]+)\.(mp4|png)$/
const PIECE_BYTES = 32 * 1024

type FileKind = 'mp4' | 'png'

/** A file that can be downloaded without a key. undefined: the path of something else. */
function fileAt(pathname: string): { taskId: string; kind: FileKind } | undefined {
  const [, taskId, kind] = FILE.exec(pathname) ?? []
  return taskId === undefined ? undefined : { taskId, kind: kind === 'png' ? 'png' : 'mp4' }
}

async function download(
  task: Task,
  kind: FileKind,
  { now, sleep, signal }: { now: number; sleep: Sleep; signal: AbortSignal },
): Promise<Response> {
  const { order } = task
  if (statusOf(task, now).status !== 'succeeded') throw taskNotFound()
  const { mp4, lastFrame } = await renderFilm({ ...order, ...sizeOf(order.resolution, order.ratio) })
  const file = kind === 'mp4' ? mp4 : lastFrame
  const headers = { ...LABELLED, 'content-type': kind === 'mp4' ? 'video/mp4' : 'image/png' }
  const pause = order.faults.numbers['slow-download']
  if (pause === undefined) return new Response(file, { headers })
  const withLength = { ...headers, 'content-length': String(file.length) }
  return new Response(bodyOf(slowly(file, pause), signal, sleep), { headers: withLength })
}

function* slowly(file: Bytes, ms: number): Generator<Step> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) {
    yield { type: 'wait', ms }
    yield { type: 'write', bytes: file.subarray(at, at + PIECE_BYTES) }
  }
}
