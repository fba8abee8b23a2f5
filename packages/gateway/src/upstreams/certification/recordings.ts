// Scrubbed responses as files, in the form that the tests of decoders replay: NAME.json, or NAME.chunks.txt with one event per line.
import type { Exchange } from './exchange.ts'
import type { Scrubber } from './scrub.ts'

/** `file`: below the folder. */
export type Recording = { file: string; text: string }

/** undefined: nothing that could be scrubbed. */
export function recordingOf(part: string, row: string, exchange: Exchange, scrubber: Scrubber): Recording | undefined {
  const { status, headers, body } = exchange
  const type = headers.get('content-type') ?? ''
  if (body === undefined || body === '') return undefined
  const name = row.toLowerCase().replaceAll(' ', '-')
  const isError = status >= 300
  const place = isError ? `errors/${part}-${name}` : `${part}/${name}`
  if (/event-stream/.test(type)) return { file: `${place}.chunks.txt`, text: eventsOf(body, scrubber) }
  return /json/.test(type) ? { file: `${place}.json`, text: `${scrubber.json(body)}\n` } : undefined
}

const eventsOf = (body: string, scrubber: Scrubber): string =>
  body
    .split(/\r?\n/)
    .flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? [])
    .filter((data) => data !== '[DONE]')
    .map((data) => `${scrubber.json(data)}\n`)
    .join('')
