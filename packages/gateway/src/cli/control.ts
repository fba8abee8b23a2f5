// The door for commands while a server owns the data folder: a Unix socket in it, open to the folder's owner alone.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from './args.ts'
import { type Desk, isOperation, OPERATIONS } from './operations.ts'

/** The system's limit for such a path is about 104 bytes; a deep data folder gets a socket elsewhere. */
const LONGEST_PATH = 100
const FILE = 'control.json'

type Answer = { result: unknown } | { mistake: string }

export type Control = { stop(): Promise<void> }

export function openControl(dataDir: string, desk: () => Desk): Control {
  const socket = socketPath(dataDir)
  rmSync(socket, { force: true })
  const server = Bun.serve({
    unix: socket,
    fetch: async (request) => Response.json(await answer(request, desk())),
  })
  chmodSync(socket, 0o600)
  writeFileSync(join(dataDir, FILE), JSON.stringify({ socket, pid: process.pid }), { mode: 0o600 })
  return {
    async stop() {
      rmSync(join(dataDir, FILE), { force: true })
      await server.stop(true)
      rmSync(socket, { force: true })
    },
  }
}

async function answer(request: Request, desk: Desk): Promise<Answer> {
  try {
    const { operation, values } = (await request.json()) as { operation: string; values: Record<string, string> }
    if (!isOperation(operation))
      return { mistake: `the running server does not know '${operation}'; is it an older version?` }
    return { result: await OPERATIONS[operation](desk, values) }
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) }
  }
}

/** undefined: no server is running on this folder. */
export async function askServer(
  dataDir: string,
  operation: string,
  values: object,
): Promise<{ result: unknown } | undefined> {
  const file = join(dataDir, FILE)
  if (!existsSync(file)) return undefined
  let response: Response
  try {
    const { socket } = JSON.parse(readFileSync(file, 'utf8')) as { socket: string }
    const body = JSON.stringify({ operation, values })
    response = await fetch('http://trivium/', { unix: socket, method: 'POST', body })
  } catch {
    // Left behind by a process that was killed: nobody is listening.
    return undefined
  }
  const answered = (await response.json()) as Answer
  if ('mistake' in answered) throw new UsageError(answered.mistake)
  return answered
}

function socketPath(dataDir: string): string {
  const path = join(dataDir, 'control.sock')
  if (Buffer.byteLength(path) <= LONGEST_PATH) return path
  return join(tmpdir(), `trivium-${Bun.hash(dataDir).toString(36)}.sock`)
}
