import { STATUS_CODES } from 'node:http'

const lines: string[] = []

/** The first line of a response. */
export function statusLine(status: number): string {
  const known = lines[status]
  if (known !== undefined) return known
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
  lines[status] = line
  return line
}

/** A response without headers of its own and without a body, after which the connection is closed. */
export function bareResponse(status: number, date: string): string {
  return `${statusLine(status)}${date}connection: close\r\ncontent-length: 0\r\n\r\n`
}
