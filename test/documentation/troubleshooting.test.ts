// The messages and codes by which docs/operate/troubleshooting.md is searched are those of the program.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

const sources = ['packages/gateway/src', 'packages/sandbox/src']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  )
  .join('\n')

/** The first cells of the tables of symptoms. */
const page = readFileSync(join(ROOT, 'docs/operate/troubleshooting.md'), 'utf8')
const symptoms = [...page.slice(page.indexOf('## The server does not start')).matchAll(/^\| (?!---)(.+?) \| /gm)]
/** In code font or in quotation marks; `...` stands for what differs from case to case. */
const quoted = symptoms.flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`|"([^"]+)"/g)].map(([, code, text]) => code ?? text ?? ''),
)

test.each(quoted)('%s', (message) => {
  const missing = message.split('...').filter((part) => !sources.includes(part.trim()))
  expect(missing).toEqual([])
})

test('there are many of them', () => expect(quoted.length).toBeGreaterThan(30))
