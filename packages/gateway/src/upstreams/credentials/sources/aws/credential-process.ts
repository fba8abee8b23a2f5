// Keys of AWS that a program of the operator's prints: run without a shell, with bounded time and output.
import { spawn } from 'node:child_process'
import { type AwsKeys, type Expiring, SourceFailed } from '../../credential.ts'
import { objectIn } from '../answer.ts'
import type { SourceTools } from '../tools.ts'

export const PROCESS_TIMEOUT_MS = 30_000
const MOST_BYTES = 64 * 1024

export async function runCredentialProcess(
  what: string,
  command: string,
  { forPrograms }: SourceTools,
  signal: AbortSignal,
  timeoutMs = PROCESS_TIMEOUT_MS,
): Promise<Expiring<AwsKeys>> {
  const [program, ...args] = splitCommand(what, command)
  const printed = objectIn(
    await outputOf(what, program ?? '', args, forPrograms, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
  )
  if (printed === undefined || printed.Version !== 1)
    throw new SourceFailed(`${what}: the program does not print a JSON object with "Version": 1`)
  const text = (name: string, isNeeded = true): string | undefined => {
    const value = printed[name]
    if (value === undefined && !isNeeded) return undefined
    if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value
    throw new SourceFailed(`${what}: the program prints no ${name}`)
  }
  const value = {
    accessKey: text('AccessKeyId') ?? '',
    secretKey: text('SecretAccessKey') ?? '',
    sessionToken: text('SessionToken', false),
  }
  const expiration = text('Expiration', false)
  const expiresAt = expiration === undefined ? undefined : Date.parse(expiration)
  if (Number.isNaN(expiresAt)) throw new SourceFailed(`${what}: the program prints an Expiration that is no date`)
  return { value, expiresAt }
}

/** As in the documentation of AWS: words, some in quotes; nothing else is special. */
export function splitCommand(what: string, command: string): string[] {
  const words = [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+|["']/g)].map(([word]) => word)
  if (words.length === 0 || words.some((word) => word === '"' || word === "'"))
    throw new SourceFailed(`${what}: the command is empty, or has a quote without its end`)
  return words.map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )
}

function outputOf(
  what: string,
  program: string,
  args: readonly string[],
  env: SourceTools['forPrograms'],
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let size = 0
    // A group of its own, so that what it starts ends with it. What it writes on standard error may be secret.
    const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
    const end = (why: string) => {
      reject(new SourceFailed(`${what}: ${why}`))
      child.stdout.destroy()
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has exited.
      }
    }
    const onAbort = () => end('the program has not exited in time')
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    child.on('error', () => end('the program cannot be started; give its whole path'))
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length
      if (size > MOST_BYTES) return end(`the program prints more than ${MOST_BYTES / 1024} KiB`)
      pieces.push(piece)
    })
    child.on('close', (code, killed) => {
      signal.removeEventListener('abort', onAbort)
      if (code === 0) resolve(Buffer.concat(pieces).toString())
      else end(`the program ends with ${killed ?? `exit code ${code}`}; run it by hand to see why`)
    })
  })
}
