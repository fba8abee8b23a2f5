// The sandbox implements the wire formats independently: otherwise tests of the gateway against it would compare code with itself.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DIALECTS = ['chat', 'responses', 'messages', 'generate-content']
const FILES = ['error', 'index', 'parameters', 'reply', 'request', 'stream', 'tools', 'turns', 'wire']

test.each(DIALECTS)('%s has the same files as the others', (dialect) => {
  const entries = readdirSync(join(import.meta.dir, dialect)).filter((name) => name !== 'parts')
  expect(entries.sort()).toEqual(FILES.map((name) => `${name}.ts`))
})

test('no dialect imports the protocol package or another dialect', () => {
  const foreign = [import.meta.dir, join(import.meta.dir, '../../test-support/dialects')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => foreignImports(folder, name)),
  )
  expect(foreign).toEqual([])
})

function foreignImports(folder: string, name: string): string[] {
  const own = DIALECTS.find((dialect) => name.startsWith(`${dialect}/`) || name === `${dialect}.ts`)
  const others = DIALECTS.filter((dialect) => own !== undefined && dialect !== own).map((dialect) => `../${dialect}/`)
  const imports = [...readFileSync(join(folder, name), 'utf8').matchAll(/^(?:import|} from).*'(.+)'$/gm)]
  return imports
    .map(([, target = '']) => target)
    .filter((target) => target.startsWith('@trivium/protocol') || others.some((other) => target.includes(other)))
    .map((target) => `${name} -> ${target}`)
}
