// The request of a background response as it is stored, and as the journey gets it when it runs: with no client but the gateway.

import type { HttpRequest, RequestHeaders } from '@trivium/http/request.ts'
import { codec } from '../bytes/codec.ts'
import type { ConversationDependencies } from '../conversations/dependencies.ts'
import { putPiece, readPiece } from '../conversations/pieces.ts'
import { ownerOf, REQUEST_PIECE, type ResponseTask } from './response-task.ts'

/** `keyHash`: of the key that it was sent with, which may be revoked before it runs. `group`: if a company token gave it. */
export type StoredRequest = {
  keyHash: Uint8Array
  group?: string | undefined
  headers: Record<string, string>
  body: Uint8Array
}

/** What the journey reads of a request besides its body: the fault switches of the embedded models. */
const KEPT_HEADERS = ['x-sandbox-fault', 'x-sandbox-pace']

export function keptHeaders(headers: RequestHeaders): Record<string, string> {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return Object.fromEntries(kept)
}

/** A line of JSON, then the body. */
export function putRequest(
  task: ResponseTask,
  { keyHash, group, headers, body }: StoredRequest,
  keepMs: number,
  deps: ConversationDependencies,
): Promise<void> {
  const head = codec.encode(`${JSON.stringify({ key: Buffer.from(keyHash).toString('base64'), group, headers })}\n`)
  return putPiece(ownerOf(task), REQUEST_PIECE, Buffer.concat([head, body]), keepMs, deps)
}

const LINE_FEED = 0x0a

export async function readRequest(
  task: ResponseTask,
  deps: ConversationDependencies,
): Promise<StoredRequest | undefined> {
  const plain = await readPiece(ownerOf(task), REQUEST_PIECE, deps)
  if (!plain) return undefined
  const end = plain.indexOf(LINE_FEED)
  type Head = { key: string; group?: string; headers: Record<string, string> }
  const { key, group, headers } = JSON.parse(codec.decode(plain, 0, end)) as Head
  return { keyHash: Buffer.from(key, 'base64'), group, headers, body: plain.subarray(end + 1) }
}

/** In place of a connection. To disconnect it ends the run as a client that disconnects ends a request. */
export class RunClient implements HttpRequest {
  readonly method = 'POST'
  readonly target = '/v1/responses'
  readonly queuedMs = 0
  readonly isPatient = true
  readonly headers: HttpRequest['headers']
  readonly body: HttpRequest['body']
  isDisconnected = false
  onDisconnect: (() => void) | undefined

  constructor({ headers, body }: Pick<StoredRequest, 'headers' | 'body'>) {
    const all: Record<string, string> = {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(body.length),
    }
    const get = (name: string): string | null => all[name] ?? null
    this.headers = { get, getAll: (name) => [get(name) ?? []].flat() }
    let isRead = false
    this.body = {
      received: body.length,
      isComplete: true,
      read() {
        if (isRead) return undefined
        isRead = true
        return body
      },
    }
  }

  address(): string {
    return ''
  }

  disconnect(): void {
    if (this.isDisconnected) return
    this.isDisconnected = true
    this.onDisconnect?.()
  }
}
