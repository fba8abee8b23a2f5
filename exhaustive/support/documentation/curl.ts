// curl as far as the pages use it, since the machine that runs the tests may have none. Fails where the status is 400 or more.
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    'data-binary': { type: 'string' },
    form: { type: 'string', short: 'F', multiple: true, default: [] },
    request: { type: 'string', short: 'X' },
    output: { type: 'string', short: 'o' },
    include: { type: 'boolean', short: 'i' },
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    fail: { type: 'boolean', short: 'f' },
    'no-buffer': { type: 'boolean', short: 'N' },
  },
})

const dataOf = (written: string) => (written.startsWith('@') ? Bun.file(written.slice(1)) : written)

function bodyOf(): FormData | Bun.BodyInit | undefined {
  const data = values.data ?? values['data-binary']
  if (data !== undefined) return dataOf(data)
  if (values.form.length === 0) return undefined
  const form = new FormData()
  for (const field of values.form) {
    const [, name = '', value = ''] = /^([^=]+)=([\s\S]*)$/.exec(field) ?? []
    const content = dataOf(value.replace(/;type=.*$/, ''))
    form.append(name, content)
  }
  return form
}

const [url = ''] = positionals
const body = bodyOf()
const response = await fetch(url, {
  method: values.request ?? (body === undefined ? 'GET' : 'POST'),
  headers: values.header.map((line) => line.split(/:\s*(.*)/, 2) as [string, string]),
  ...(body === undefined ? {} : { body }),
})
if (values.include) {
  console.log(`HTTP/1.1 ${response.status}`)
  response.headers.forEach((value, name) => void console.log(`${name}: ${value}`))
  console.log()
}
const bytes = new Uint8Array(await response.arrayBuffer())
await Bun.write(values.output === undefined ? Bun.stdout : Bun.file(values.output), bytes)
if (response.status >= 400) {
  console.error(`${url}: ${response.status} ${new TextDecoder().decode(bytes)}`)
  process.exit(22)
}
