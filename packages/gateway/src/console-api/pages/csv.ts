// CSV for spreadsheets and accountants. Long files are written page by page: memory stays bounded, and other requests are served
// meanwhile.
import type { HttpResponse } from '@trivium/http/response.ts'
import { compressorFor } from '../../http-api/compress.ts'
import type { Reads } from '../../overload/reads/reads.ts'
import type { Account } from '../../storage/storage.ts'
import type { SignedInCall } from '../call.ts'

export type CsvLine = readonly string[]

/**
 * `pages` are read as the client reads. The first one is read before the response begins, and may still reject the request; each of the
 * others waits for a slot of the account's reads, which is free again while the client receives it.
 */
export async function csvResponse(
  { http, headers, account }: Pick<SignedInCall<unknown>, 'http' | 'headers'> & { account: Pick<Account, 'id'> },
  name: string,
  pages: AsyncIterator<readonly CsvLine[], void>,
  { reads }: { reads: Pick<Reads, 'resume'> },
): Promise<HttpResponse> {
  let page = await pages.next()
  headers.set('content-type', 'text/csv; charset=utf-8')
  headers.set('content-disposition', `attachment; filename="${name}.csv"`)
  const compressor = compressorFor(http, headers)
  return {
    status: 200,
    headers,
    body: {
      async run(sink) {
        let written = Buffer.from(csvOf(page.value ?? []))
        for (;;) {
          const next = await reads.resume(account.id, http, () => pages.next())
          if (next === undefined || next.done || http.isDisconnected) return (await compressor?.end(written)) ?? written
          page = next
          await sink.write((await compressor?.add(written)) ?? written)
          written = Buffer.from(csvOf(page.value))
        }
      },
    },
  }
}

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
