// The id of a task says everything about the task, so that any process can answer for it, also after a restart.

import { createHash, randomBytes } from 'node:crypto'
import { readVideoFaults, writeVideoFaults } from './faults.ts'
import type { VideoOrder } from './submit.ts'

/** `createdAt`: milliseconds since 1970. */
export type CreatedTask = { order: VideoOrder; createdAt: number }

const CHECK_BYTES = 6
const NONCE_BYTES = 4
const ID = /^cgt-\d{14}-([\w-]{20,4000})$/

/** Two tasks of the same order have different ids. */
export function encodeTaskId({ order, createdAt }: CreatedTask): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const written = { ...order, faults: writeVideoFaults(order.faults) }
  const payload = Buffer.from(JSON.stringify([createdAt, nonce, written]))
  return idOf(createdAt, Buffer.concat([checkOf(payload), payload]).toString('base64url'))
}

/** undefined: no sandbox has made this id. */
export function decodeTaskId(id: string): CreatedTask | undefined {
  const [, token] = ID.exec(id) ?? []
  if (token === undefined) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const payload = bytes.subarray(CHECK_BYTES)
  if (!checkOf(payload).equals(bytes.subarray(0, CHECK_BYTES))) return undefined
  const [createdAt, , { faults, ...order }] = JSON.parse(payload.toString())
  // Base64 has several spellings of the same bytes; the task has one id.
  if (idOf(createdAt, bytes.toString('base64url')) !== id) return undefined
  return { order: { ...order, faults: readVideoFaults([faults], true) }, createdAt }
}

function idOf(createdAt: number, token: string): string {
  const stamp = new Date(createdAt).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `cgt-${stamp}-${token}`
}

const checkOf = (payload: Uint8Array): Buffer =>
  createHash('sha256').update('sandbox-video task ').update(payload).digest().subarray(0, CHECK_BYTES)
