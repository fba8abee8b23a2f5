// For tests: a client that records what is on the wire, chunk by chunk, and how the connection ended.
import { connect } from 'node:net'

export type Wire = {
  /** 0: the headers did not arrive, or not all of them. */
  status: number
  headers: Headers
  /** The HTTP chunks in the order of the server's writes. */
  chunks: Buffer[]
  body: string
  /** `complete`: the body's proper end arrived; `destroyed`: the connection closed before it. */
  ending: 'complete' | 'destroyed'
}

export const PROMPT = [{ role: 'user', content: 'Hello there' }]

export function wire(port: number, body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Wire> {
  return wireTo(port, '/v1/chat/completions', { model: 'sandbox-text', messages: PROMPT, ...body }, headers)
}

export function wireTo(
  port: number,
  path: string,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Wire> {
  const text = JSON.stringify(body)
  const lines = Object.entries({ authorization: 'Bearer test', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
  return new Promise((resolve) => {
    const seen: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}${lines.join('')}\r\n${text}`))
    const finish = (ending: Wire['ending']) => {
      socket.destroy()
      resolve(parse(Buffer.concat(seen), ending))
    }
    socket.on('data', (data: Buffer) => {
      seen.push(data)
      if (isComplete(Buffer.concat(seen.slice(-3)), seen)) finish('complete')
    })
    socket.on('error', () => {})
    socket.on('close', () => finish('destroyed'))
  })
}

function isComplete(tail: Buffer, seen: readonly Buffer[]): boolean {
  if (tail.subarray(-7).toString('latin1') === '\r\n0\r\n\r\n') return true
  if (seen.length > 8) return false
  const [head = '', body] = split(Buffer.concat(seen))
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  return body !== undefined && length !== undefined && body.length >= Number(length)
}

function split(all: Buffer): [string, Buffer | undefined] {
  const end = all.indexOf('\r\n\r\n')
  return end < 0
    ? [all.toString('latin1'), undefined]
    : [all.subarray(0, end).toString('latin1'), all.subarray(end + 4)]
}

function parse(all: Buffer, ending: Wire['ending']): Wire {
  const [head, rest] = split(all)
  if (rest === undefined) return { status: 0, headers: new Headers(), chunks: [], body: '', ending }
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const chunks = headers.get('transfer-encoding') === 'chunked' ? dechunk(rest) : [rest]
  return { status: Number(first.split(' ')[1] ?? 0), headers, chunks, body: Buffer.concat(chunks).toString(), ending }
}

function dechunk(bytes: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    if (line < 0 || !(size > 0)) break
    chunks.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
  return chunks
}

/** The data of each event of a correct stream. */
export function dataOf(body: string): string[] {
  return body
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .map((line) => line.slice(5).trim())
}
