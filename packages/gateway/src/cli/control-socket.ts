// The control socket: commands reach a running server over a Unix socket in the data folder, which only its owner can open.
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TSchema } from 'typebox'
import { OPERATIONS } from '../operate/index.ts'
import { COMMAND_LINE, type Operation, type OperationContext, perform, rehearse } from '../operate/operation.ts'
import { OperationRejected, type Rejection } from '../operate/rejections.ts'
import { CommandError } from './errors.ts'

/** Systems limit the path of a socket to about 104 bytes; for a longer path the socket is created elsewhere. */
const LONGEST_PATH = 100
const LAST_CALL_MS = 50
const FINISH_MS = 5_000
/** A complete usage list or an audit of a large store takes long. */
const ANSWER_WITHIN_MS = 600_000

/** `all`: everything that is wrong with the input. */
type Answer = { result: unknown } | { rejection: Rejection; all: readonly Rejection[] } | { error: string }

type Call = { operation: string; input: unknown; dryRun: boolean }

/** Who can open the socket may do everything that the command line can. */
type Context = Omit<OperationContext, 'actor'>

export type ControlSocket = {
  /** Calls in progress are completed; new ones find no server. */
  stop(): Promise<void>
}

/** Workers share a folder. Each has its own socket, for what only that worker knows. */
const nameOf = (worker: number | undefined): string => (worker === undefined ? 'control' : `control-${worker}`)
const FILES = /^(control(?:-\d+)?)\.json$/

export function openControlSocket(dataDir: string, context: () => Context, worker?: number): ControlSocket {
  const name = nameOf(worker)
  const near = join(dataDir, `${name}.sock`)
  // A private folder: a name in a shared folder could be taken by someone else first.
  const elsewhere = Buffer.byteLength(near) > LONGEST_PATH
  const socket = elsewhere ? join(mkdtempSync(join(tmpdir(), 'trivium-')), 'control.sock') : near
  rmSync(socket, { force: true })
  // umask instead of chmod afterwards: a client that connected in between would stay connected.
  const umask = process.umask(0o077)
  const server = Bun.serve({
    unix: socket,
    async fetch(request, server) {
      // An audit of a large store takes long.
      server.timeout(request, 0)
      return Response.json(await answer(request, context()))
    },
  })
  process.umask(umask)
  const file = join(dataDir, `${name}.json`)
  writeFileSync(`${file}.new`, JSON.stringify({ socket, pid: process.pid }), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return {
    async stop() {
      rmSync(file, { force: true })
      // Clients that have just read the file can still connect.
      await Bun.sleep(LAST_CALL_MS)
      await Promise.race([server.stop(false), Bun.sleep(FINISH_MS)])
      rmSync(elsewhere ? dirname(socket) : socket, { recursive: true, force: true })
    },
  }
}

async function answer(request: Request, context: Context): Promise<Answer> {
  try {
    const { operation: name, input, dryRun } = (await request.json()) as Call
    const operation = OPERATIONS.get(name)
    if (!operation) return { error: `the running server does not support '${name}'; it may be an older version` }
    const call = dryRun ? rehearse : perform
    return { result: await call(operation, { ...context, actor: COMMAND_LINE }, input) }
  } catch (error) {
    if (error instanceof OperationRejected) return { rejection: error.rejection, all: error.all }
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** Errors that mean no server listens: the process was killed or has just stopped. */
const NO_SERVER = new Set(['ConnectionRefused', 'ECONNREFUSED', 'FailedToOpenSocket', 'ENOENT'])

/** Undefined if no server runs on this folder. Throws what the operation throws. */
export async function callServer(
  dataDir: string,
  operation: string,
  input: object,
  { process: name = nameOf(undefined), dryRun = false }: { process?: string; dryRun?: boolean } = {},
): Promise<{ result: unknown } | undefined> {
  const socket = socketOf(dataDir, name)
  if (!socket) return undefined
  let answered: Answer
  try {
    const body = JSON.stringify({ operation, input, dryRun })
    const response = await fetch('http://trivium/', {
      unix: socket,
      method: 'POST',
      body,
      keepalive: false,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    answered = (await response.json()) as Answer
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_SERVER.has(String(error.code))) return undefined
    // The call was sent but not answered: repeating it could apply it twice, and it may concern money.
    throw new CommandError(
      'the server stopped or stalled before it responded; check whether the command took effect before you repeat it',
    )
  }
  if ('rejection' in answered) throw new OperationRejected(answered.rejection, answered.all)
  if ('error' in answered) throw new CommandError(answered.error)
  return answered
}

/** The results of each server process on this folder: one, all workers, or none. */
export async function callEachProcess<Result>(
  dataDir: string,
  { name: operation }: Pick<Operation<TSchema, Result>, 'name' | 'run'>,
  input: object = {},
): Promise<Result[]> {
  const answers = await Promise.all(
    processNames(dataDir).map((process) => callServer(dataDir, operation, input, { process })),
  )
  return answers.flatMap((answer) => (answer ? [answer.result as Result] : []))
}

/** Asks the processes on this folder; the first one that answers decides. */
export async function callAnyProcess(
  dataDir: string,
  operation: string,
  input: object,
  { dryRun = false }: { dryRun?: boolean } = {},
) {
  for (const process of processNames(dataDir)) {
    const answered = await callServer(dataDir, operation, input, { process, dryRun })
    if (answered) return answered
  }
  return undefined
}

const processNames = (dataDir: string): string[] =>
  existsSync(dataDir) ? readdirSync(dataDir).flatMap((file) => FILES.exec(file)?.[1] ?? []) : []

/** Whether a server responds on this folder, which means that the folder will stay in use. */
export async function isServerRunning(dataDir: string): Promise<boolean> {
  const socket = socketOf(dataDir, nameOf(undefined))
  if (!socket) return false
  try {
    await fetch('http://trivium/', { unix: socket, keepalive: false, signal: AbortSignal.timeout(1_000) })
    return true
  } catch {
    return false
  }
}

function socketOf(dataDir: string, name: string): string | undefined {
  const file = join(dataDir, `${name}.json`)
  if (!existsSync(file)) return undefined
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { socket: string }).socket
  } catch {
    return undefined
  }
}
