// Files that are written page by page: memory stays bounded, and other requests are served meanwhile.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse, ResponseHeaders } from '@trivium/http/response.ts'
import type { Reads } from '../../overload/reads/reads.ts'
import { compressorFor } from '../compress.ts'

type Call = { http: HttpRequest; headers: ResponseHeaders }
type File = { name: string; type: string }

/**
 * `pages` are read as the client reads. The first one is read before the response begins, and may still reject the request; each of the
 * others waits for a slot of `reader`, an account or an admin key, which is free again while the client receives it. The server closes the
 * connection of a client that stops reading.
 */
export async function fileResponse(
  { http, headers }: Call,
  { name, type }: File,
  pages: AsyncIterator<string, void>,
  reader: bigint,
  { reads }: { reads: Pick<Reads, 'resume'> },
): Promise<HttpResponse> {
  let page = await pages.next()
  headers.set('content-type', type)
  headers.set('content-disposition', `attachment; filename="${name}"`)
  const compressor = compressorFor(http, headers)
  return {
    status: 200,
    headers,
    body: {
      async run(sink) {
        let written = Buffer.from(page.value ?? '')
        for (;;) {
          const next = await reads.resume(reader, http, () => pages.next())
          if (next === undefined || next.done || http.isDisconnected) return (await compressor?.end(written)) ?? written
          page = next
          await sink.write((await compressor?.add(written)) ?? written)
          written = Buffer.from(page.value)
        }
      },
    },
  }
}

export const CSV_TYPE = 'text/csv; charset=utf-8'

export const csvResponse = (
  call: Call & { account: { id: bigint } },
  name: string,
  pages: AsyncIterable<readonly CsvLine[], void>,
  deps: { reads: Pick<Reads, 'resume'> },
): Promise<HttpResponse> =>
  fileResponse(call, { name: `${name}.csv`, type: CSV_TYPE }, textOf(pages), call.account.id, deps)

async function* textOf(pages: AsyncIterable<readonly CsvLine[], void>): AsyncGenerator<string, void> {
  for await (const lines of pages) yield csvOf(lines)
}

export type CsvLine = readonly string[]

export function csvOf(lines: readonly CsvLine[]): string {
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')
}

/** A spreadsheet would run a cell that begins like a formula; a quote before it makes it text. Numbers stay numbers. */
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?\d+(\.\d+)?$/

function cell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
