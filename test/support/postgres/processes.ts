// Child processes of the test harness.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'

export type Identity = { uid: number; gid: number }

/** PostgreSQL does not run as root: returns the user to run it as; undefined if this process is not root. */
export async function unprivilegedIdentity(): Promise<Identity | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const entry = ['postgres', 'nobody'].map((name) => lines.find(([user]) => user === name)).find(Boolean)
  if (!entry) throw new Error('running as root, and neither "postgres" nor "nobody" is in /etc/passwd')
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

/** Runs a program and returns its standard output; the error of a failure contains its output. */
export async function run(program: string, options: string[], identity?: Identity): Promise<string> {
  const child = spawn(program, options, { ...identity, cwd: '/', env: { LC_ALL: 'C' } })
  const output: Buffer[] = []
  const said: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${Buffer.concat([...said, ...output])}`)
  return Buffer.concat(output).toString()
}
