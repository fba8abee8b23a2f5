// The structure, kept by a test instead of by good intentions: see ARCHITECTURE.md for the reasons.
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { MODEL_TYPES } from '../packages/gateway/src/modalities/index.ts'
import { GATEWAY, importsOf, isTest, read, roomOf, sources } from '../tools/structure/sources.ts'

const ROOT = join(import.meta.dir, '..')
const PROTOCOL = 'packages/protocol/src'
const DIALECTS = `${PROTOCOL}/dialects`
/** What several dialects use. */
const SHARED = 'shared'

/**
 * The folders of the gateway by floor. A folder imports what lies on the floors below it, and the packages `protocol` and `http`;
 * folders of one floor do not import each other. A folder with a journey that is not named here is on the floor of `text`.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['startup', 'openapi'],
  ['cli', 'admin-api', 'console-api', 'console-files', 'jobs', 'process'],
  ['http-api', 'compatibility'],
  ['operate', 'background', 'backup', 'image-tool', 'token-counting'],
  ['text', 'images', 'videos'],
  ['conversations', 'tasks', 'alerts', 'notices'],
  ['routing', 'moving-in'],
  ['paid-call', 'media'],
  ['overload'],
  ['access'],
  ['catalogue'],
  ['upstreams', 'mail'],
  ['config'],
  ['modalities'],
  ['yaml'],
  ['request'],
  ['storage'],
  ['observe'],
  ['money', 'sharing', 'bytes', 'endpoints'],
]
const hasJourney = (area: string) => existsSync(join(ROOT, GATEWAY, area, 'journey.ts'))
const floorOf = (area: string): number => {
  const named = FLOORS.findIndex((floor) => floor.includes(area))
  return named < 0 && hasJourney(area) ? floorOf('text') : named
}

/** What each package may import, besides itself. Everything else is a dependency of the gateway's. */
const PACKAGES: Record<string, readonly string[]> = { protocol: [], http: [], sandbox: ['protocol'] }

/** What puts everything together, and may import everything. */
const TOP = ['main.ts', 'server', 'app.ts', 'routes.ts', 'handler.ts', 'handlers']
const COMPLETE_DIALECT = ['endpoint.ts', 'error.ts', 'index.ts', 'pass-through.ts', 'translated-fields.ts', 'wire.ts']
const BEGUN_DIALECT = ['error.ts', 'index.ts']
const DECLARED = [`${GATEWAY}/operate/words/`, `${GATEWAY}/endpoints/`]
const VALUES_OF_GATEWAY = /import (?!type )[^'"]*from '@trivium\/gateway\/([^']+)'/g
const LONGEST_FILE = 400
const MOST_FILES = 16

/** The parts that every text dialect has, beside those of its own. */
const TEXT_DIALECT_PARTS: Record<string, readonly string[]> = {
  request: [
    'decode-request',
    'decode-tools',
    'decode-turns',
    'encode-request',
    'encode-tools',
    'encode-turns',
    'field-names',
  ],
  reply: ['decode-reply', 'decode-stream', 'encode-reply', 'encode-stream', 'usage'],
  'pass-through': ['fields', 'request', 'stream', 'vendor-fields'],
}
/** One part, one name: what these words describe is called differently. */
const OTHER_NAMES = /^(read|write|parse|build)-|-(in|out|reader|writer|decoder|encoder)$/

test('a reader of src meets the product and its tests only', () => {
  const imports = sources('packages').filter((path) => /\/src\//.test(path) && !isTest(path))
  const forTests = imports.filter((path) => importsOf(path).some((target) => target === 'bun:test' || isTest(target)))
  expect(forTests).toEqual([])
})

describe('imports go one way', () => {
  const files = sources(GATEWAY).filter((path) => !isTest(path))

  test('every file of the gateway is in a known folder', () => {
    expect(files.filter((path) => floorOf(roomOf(path)) < 0 && !TOP.includes(roomOf(path)))).toEqual([])
  })

  test('a folder imports only what is below it', () => {
    const violations = files.flatMap((path) => {
      const area = roomOf(path)
      if (TOP.includes(area)) return []
      return importsOf(path)
        .filter(
          (target) => target.startsWith(GATEWAY) && roomOf(target) !== area && floorOf(roomOf(target)) <= floorOf(area),
        )
        .map((target) => `${path} -> ${target}`)
    })
    expect(violations).toEqual([])
  })

  test('engines are named only where everything is put together', () => {
    const engines = /storage\/(sqlite|postgres)(\.ts|\/|-)/
    const violations = files
      .filter((path) => path !== `${GATEWAY}/main.ts` && !engines.test(path))
      .flatMap((path) =>
        importsOf(path)
          .filter((target) => engines.test(target))
          .map((target) => `${path} -> ${target}`),
      )
    expect(violations).toEqual([])
  })

  test('only the configuration and the composition root read the environment', () => {
    const readers = files.filter((path) => /process\.env|Bun\.env/.test(read(path)))
    expect(readers).toEqual([`${GATEWAY}/main.ts`])
  })
})

/** Outside of its own folder a modality is named by its journey, by the routes that bind it, and in few places that have a reason. */
const NAME_MODALITIES = [
  ...readdirSync(join(ROOT, GATEWAY)).flatMap((area) => (hasJourney(area) ? `${area}/` : [])),
  ...['modalities/', 'endpoints/', 'tasks/', 'image-tool/'],
  // The tool image_generation calls an image model.
  'config/sections/tools.ts',
  // The example of the first start is a chat.
  'startup/start-summary.ts',
  // The list of the checks that endpoints have, and how text is called for them.
  'upstreams/diagnostics/service-checks.ts',
  'upstreams/diagnostics/text-call.ts',
]

test('no other file of the gateway names a modality', () => {
  const types = `(${MODEL_TYPES.join('|')})`
  const named = new RegExp(
    [
      `Of<'${types}'`,
      `[tT]ypes?(Of\\([^\\n]*\\)|\\.get\\(\\w+\\))? [=!]== '${types}'`,
      `(authorize|[oO]ffer\\w*|dialectFor|modalityOf|isOfType)\\([^\\n]*'${types}'`,
      `MODALITIES\\.${types}\\b`,
      `modalities/${types}/`,
      'Record<ModelType',
    ].join('|'),
  )
  const naming = sources(GATEWAY)
    .filter((path) => !isTest(path) && named.test(read(path)))
    .map((path) => relative(GATEWAY, path))
  expect(naming.filter((path) => !NAME_MODALITIES.some((allowed) => path.startsWith(allowed)))).toEqual([])
  // The pattern finds what it looks for, and no exception is left over.
  expect(NAME_MODALITIES.filter((allowed) => !/\/$/.test(allowed) && !naming.includes(allowed))).toEqual([])
})

test.each(Object.entries(PACKAGES))('package %s imports only what is below it', (name, allowed) => {
  const files = sources(`packages/${name}/src`).filter((path) => !isTest(path))
  const violations = files.flatMap((path) =>
    importsOf(path)
      .filter((target) => /^packages\//.test(target))
      .filter((target) => ![name, ...allowed].includes(target.split('/')[1] ?? ''))
      .map((target) => `${path} -> ${target}`),
  )
  expect(violations).toEqual([])
})

test('the console imports nothing of the gateway but what is declared for browsers', () => {
  const files = sources('packages/console/src')
  const imported = files.flatMap(importsOf).filter((target) => /^packages\/(?!console\/)/.test(target))
  expect(imported).not.toEqual([])
  const isDeclared = (target: string) =>
    DECLARED.some((folder) => target.startsWith(folder) && folder.includes(`/${roomOf(target)}/`))
  expect(imported.filter((target) => !isDeclared(target))).toEqual([])
  const values = files.flatMap((path) => [...read(path).matchAll(VALUES_OF_GATEWAY)].map(([, target]) => target))
  expect(values.filter((target) => !isDeclared(`${GATEWAY}/${target}`))).toEqual([])
  // The browser gets no handler, modality or check with them.
  for (const folder of DECLARED) {
    const reached = sources(folder).filter(isDeclared).flatMap(importsOf)
    expect(reached.filter((target) => !isDeclared(target) || !target.startsWith(folder))).toEqual([])
  }
})

test('the sandbox shares no code with the dialects: each is checked against the other', () => {
  const files = sources('packages/sandbox/src').filter((path) => !isTest(path))
  const shared = files.flatMap(importsOf).filter((target) => target.startsWith(`${PROTOCOL}/`))
  expect([...new Set(shared)]).toEqual([`${PROTOCOL}/routes.ts`])
})

describe('the protocol package is pure', () => {
  const files = sources(PROTOCOL).filter((path) => !isTest(path))

  test('it has no dependencies, and no types of a platform', () => {
    const { dependencies = {} } = JSON.parse(read('packages/protocol/package.json')) as { dependencies?: object }
    expect(dependencies).toEqual({})
    const { compilerOptions } = JSON.parse(read('packages/protocol/tsconfig.json')) as { compilerOptions: object }
    expect(compilerOptions).toMatchObject({ lib: ['ES2023', 'ES2024.String'], types: [] })
  })

  test('it imports nothing but itself', () => {
    expect(files.flatMap((path) => importsOf(path).filter((target) => !target.startsWith(PROTOCOL)))).toEqual([])
  })

  test('the order of translation is behind its index', () => {
    const inside = `${PROTOCOL}/translation/`
    const outside = ALL_SOURCES.filter((path) => path !== `${PROTOCOL}/index.ts` && !path.startsWith(inside))
    const importing = outside.filter((path) => importsOf(path).some((target) => target.startsWith(inside)))
    expect(importing).toEqual([])
    const { exports } = JSON.parse(read('packages/protocol/package.json')) as { exports: Record<string, string> }
    expect(Object.keys(exports).filter((name) => name === './*' || name.startsWith('./translation'))).toEqual([])
    expect(importsOf(`${GATEWAY}/text/translation/translate.ts`)).toContain(`${PROTOCOL}/index.ts`)
  })

  test('it reads no clock and no randomness', () => {
    expect(files.filter((path) => /Date\.now|new Date\(\)|Math\.random/.test(read(path)))).toEqual([])
  })

  test('a dialect never imports another', () => {
    const folderOf = (path: string) => relative(DIALECTS, path).split('/').slice(0, -1)[0]
    const violations = files
      .filter((path) => path.startsWith(DIALECTS) && folderOf(path))
      .flatMap((path) =>
        importsOf(path)
          .filter(
            (target) =>
              target.startsWith(`${DIALECTS}/`) && ![undefined, SHARED, folderOf(path)].includes(folderOf(target)),
          )
          .map((target) => `${path} -> ${target}`),
      )
    expect(violations).toEqual([])
  })

  test('complete text dialects have the same files; others have at least their errors', () => {
    const folders = readdirSync(join(ROOT, DIALECTS), { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && entry.name !== SHARED,
    )
    for (const { name } of folders) {
      const own = readdirSync(join(ROOT, DIALECTS, name), { withFileTypes: true })
        .filter((entry) => entry.isFile() && !isTest(`/${entry.name}`))
        .map((entry) => entry.name)
        .sort()
      expect({ [name]: own }).toEqual({ [name]: own.includes('wire.ts') ? COMPLETE_DIALECT : BEGUN_DIALECT })
    }
  })

  test('the parts of text dialects are named alike', () => {
    const named = files.filter((path) => path.startsWith(`${DIALECTS}/`)).map((path) => path.slice(DIALECTS.length + 1))
    const dialects = named.filter((path) => path.endsWith('/wire.ts')).map((path) => dirname(path))
    expect(dialects.length).toBeGreaterThan(3)
    const missing = dialects.flatMap((dialect) =>
      Object.entries(TEXT_DIALECT_PARTS).flatMap(([folder, parts]) =>
        parts.map((part) => `${dialect}/${folder}/${part}.ts`).filter((path) => !named.includes(path)),
      ),
    )
    expect(missing).toEqual([])
    expect(named.filter((path) => OTHER_NAMES.test(basename(path, '.ts')))).toEqual([])
  })
})

describe('there are no import cycles, type imports included', () => {
  test.each([...Object.keys(PACKAGES), 'console', 'gateway'])('package %s', (name) => {
    const files = sources(`packages/${name}/src`).filter((path) => !isTest(path))
    expect(circlesIn(new Map(files.map((path) => [path, importsOf(path)])))).toEqual([])
  })

  test.each(['bench', 'faults', 'torture', 'court', 'tools', 'test/support', 'exhaustive/support'])('%s', (folder) => {
    expect(circlesIn(new Map(sources(folder).map((path) => [path, importsOf(path)])))).toEqual([])
  })
})

/** The files that import themselves by way of others. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const reaches = (from: string, to: string): boolean => {
    const seen = new Set<string>()
    const next = [...(imports.get(from) ?? [])]
    for (let path = next.pop(); path !== undefined; path = next.pop()) {
      if (path === to) return true
      if (seen.has(path)) continue
      seen.add(path)
      next.push(...(imports.get(path) ?? []))
    }
    return false
  }
  return [...imports.keys()].filter((path) => reaches(path, path))
}

const ALL_SOURCES = ['packages', 'test', 'exhaustive', 'bench', 'torture', 'faults', 'court', 'tools'].flatMap(sources)

test('only exhaustive tests import what npm test does not install', () => {
  const others = ALL_SOURCES.filter((path) => !path.startsWith('exhaustive/'))
  const importing = others.filter((path) => importsOf(path).some((target) => /^exhaustive\/.*\.tsx?$/.test(target)))
  expect(importing).toEqual([])
})

test('no test has a time limit of its own', () => {
  // When one is exceeded, the runner kills the gateway and the database of the whole file: tools/tests/passes.ts has one for all.
  const limited = ALL_SOURCES.filter(
    (path) => isTest(path) && /^\s*\}, \d[\d_]*_000\)$|setDefaultTimeout\(\d/m.test(read(path)),
  )
  expect(limited).toEqual([])
})

test('no source file is too long', () => {
  const long = ALL_SOURCES.map((path) => ({ path, lines: read(path).split('\n').length - 1 })).filter(
    ({ lines }) => lines > LONGEST_FILE,
  )
  expect(long).toEqual([])
})

test('a comment can be understood alone: none begins with "Of ..."', () => {
  const dangling = ALL_SOURCES.filter((path) => /^.*(?:\/\*\*|\/\/|^\s*\*) Of /m.test(read(path)))
  expect(dangling).toEqual([])
})

// TypeScript does not check a spread literal for unknown properties, so a misspelt optional field would be lost in silence.
test('no object literal is spread into another', () => {
  const spread = ALL_SOURCES.filter((path) => /\.\.\.\(?\{/.test(read(path)))
  expect(spread).toEqual([])
})

test('no folder has too many files, tests aside', () => {
  const folders = Map.groupBy(
    ALL_SOURCES.filter((path) => !isTest(path)),
    (path) => dirname(path),
  )
  expect([...folders].filter(([, inside]) => inside.length > MOST_FILES).map(([folder]) => folder)).toEqual([])
})

/** Most of the rooms have one, or take that of the floor below. */
test('types of what a room depends on are few', () => {
  const types = sources(GATEWAY).flatMap((path) => read(path).match(/^(export )?type \w*Dependencies\b/gm) ?? [])
  expect(types.length).toBeLessThan(40)
})

test('ARCHITECTURE.md is short', () => {
  expect(read('ARCHITECTURE.md').split(/\s+/).length).toBeLessThan(900)
})
