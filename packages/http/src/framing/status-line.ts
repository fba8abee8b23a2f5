import { STATUS_CODES } from 'node:http'
import type { RejectionStatus } from '../server/incoming/request-head.ts'

const lines: string[] = []

/** The first line of an answer. */
export function statusLine(status: number): string {
  const known = lines[status]
  if (known !== undefined) return known
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  lines[status] = line
  return line
}

/** An answer to what is not a request. */
export function bareResponse(status: RejectionStatus | 500, date: string): string {
  return `${statusLine(status)}${date}connection: close\r\ncontent-length: 0\r\n\r\n`
}
