// The outcome as one HTML file without scripts: the table, then each failing cell with its requests and responses.
import type { Exchange } from '../recorder.ts'
import type { Result } from '../runner.ts'
import { rowsOf } from './table.ts'

export type Circumstances = { product: string; gateway: string; at: string; court: string; vendor: boolean }

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse } td, th { padding: .2rem .8rem; text-align: left; border-bottom: 1px solid #ddd }
td.n { text-align: right } pre { white-space: pre-wrap; word-break: break-word; background: #f5f5f5; padding: .6rem; font-size: 12px }
summary { cursor: pointer } .failed { color: #a40000 } .passed { color: #006b2d }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #161616 } pre { background: #222 } td, th { border-color: #444 }
.failed { color: #ff8a80 } .passed { color: #7fd99a } }
`

const MOST_SHOWN = 20_000

export function pageOf(results: readonly Result[], { product, gateway, at, court, vendor }: Circumstances): string {
  const rows = rowsOf(results).map(
    (row) =>
      `<tr><td>${row.area}</td><td class="n passed">${row.passed}</td><td class="n${row.failed > 0 ? ' failed' : ''}">${row.failed}</td>` +
      `<td class="n">${row.unclaimed === 0 ? '' : `${row.unclaimedPassed} of ${row.unclaimed}`}</td></tr>`,
  )
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const claimed = failed.filter(({ unclaimed }) => unclaimed === undefined)
  const apart = failed.filter(({ unclaimed }) => unclaimed !== undefined)
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(product)}: court</title>
<style>${STYLE}</style>
<h1>${escaped(product)}</h1>
<p>${results.length} cells at ${escaped(gateway)}, ${escaped(at)}, by court ${escaped(court)}${vendor ? ', with its own vendor behind the gateway' : ''}.</p>
<table><tr><th>Area<th>Passed<th>Failed<th>Not claimed: passed</tr>${rows.join('')}</table>
<h2>Failed (${claimed.length})</h2>
${claimed.map(cellOf).join('\n')}
<h2>Failed, not claimed (${apart.length})</h2>
${apart.map(cellOf).join('\n')}
</html>
`
}

function cellOf(result: Result): string {
  const { area, dialect, client, model, endpoint, name, finding = '', unclaimed, exchanges = [] } = result
  return `<details><summary><span class="failed">${escaped(area)}</span>, ${escaped(dialect)}, ${escaped(client)}, ${escaped(model)}: ${escaped(name)}</summary>
<p>${escaped(endpoint)}: <strong>${escaped(finding)}</strong>${unclaimed === undefined ? '' : ` (not claimed: ${escaped(unclaimed)})`}</p>
${exchanges.map(exchangeOf).join('\n')}</details>`
}

const lines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

function exchangeOf({ method, path, requestHeaders, requestBody, status, headers, body, end }: Exchange): string {
  const request = `${method} ${path}\n${lines(requestHeaders)}\n\n${requestBody}`
  const response = `${status ?? 'no response'}\n${lines(headers)}\n\n${body}\n[${end ?? 'still open'}]`
  return [request, response].map((text) => `<pre>${escaped(text.slice(0, MOST_SHOWN))}</pre>`).join('\n')
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
