// The environment, and files as they are found on disk.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { formatMistakes } from '../config/format-mistakes.ts'
import { loadFile } from './config.ts'
import { readEnvironment } from './environment.ts'

const FIXTURES = join(import.meta.dir, '../../fixtures')

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-config-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('an empty environment: the documented defaults', () => {
  const nothingHere = resolve('trivium.yaml')
  const { environment, mistakes } = readEnvironment({ PORT: '', TRIVIUM_CONFIG: '', DATABASE_URL: '' })
  expect(mistakes).toEqual([])
  expect(environment).toEqual({
    host: '127.0.0.1',
    port: 3333,
    dataDir: resolve('data'),
    // Developers may have a trivium.yaml of their own in the folder where the tests run.
    configFile: environment.configFile === nothingHere ? nothingHere : undefined,
    watchedFile: nothingHere,
    databaseUrl: undefined,
    secret: undefined,
    secretOld: undefined,
    workers: 1,
    log: 'requests',
    clouds: { variables: {}, forPrograms: {} },
    warnings: [],
  })
})

test('clouds get the variables of their SDKs, and programs for credentials all but those of the gateway', () => {
  const env = { AWS_PROFILE: 'ops', AWS_REGION: '', IDENTITY_HEADER: 'x', PATH: '/bin', VAULT_ADDR: 'https://vault' }
  const secrets = { TRIVIUM_SECRET: SECRET, OPENAI_API_KEY: 'hunter2', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }
  const { clouds } = readEnvironment({ ...env, ...secrets }).environment
  expect(clouds).toEqual({
    variables: { AWS_PROFILE: 'ops', IDENTITY_HEADER: 'x' },
    forPrograms: { AWS_PROFILE: 'ops', IDENTITY_HEADER: 'x', PATH: '/bin', VAULT_ADDR: 'https://vault' },
  })
})

const SECRET = '0123456789abcdef'
const POSTGRES = 'postgres://user:hunter2@db.example.com/trivium'

// [environment, parts of the mistakes]
const ENVIRONMENTS: [Record<string, string>, string[]][] = [
  [{ PORT: '0' }, []],
  [{ PORT: '65535', HOST: '0.0.0.0' }, []],
  [{ HOST: '::1' }, []],
  [{ HOST: 'gateway.internal' }, []],
  [{ PORT: '65536' }, ['PORT must be a whole number from 0 to 65535, not "65536"']],
  [{ PORT: '-1' }, ['PORT must be']],
  [{ PORT: '80 ' }, ['PORT must be']],
  [{ PORT: '3e3' }, ['PORT must be']],
  [{ HOST: 'http://localhost' }, ['HOST must be']],
  [{ HOST: 'localhost:3333' }, ['HOST must be']],
  [{ HOST: '[::1]' }, ['HOST must be']],
  [{ DATABASE_URL: POSTGRES, TRIVIUM_SECRET: SECRET }, []],
  [{ DATABASE_URL: 'postgresql://h/d', TRIVIUM_SECRET: SECRET, TRIVIUM_WORKERS: '4' }, []],
  [{ DATABASE_URL: POSTGRES }, ['TRIVIUM_SECRET or TRIVIUM_SECRET_FILE must be set when DATABASE_URL is']],
  [{ DATABASE_URL: 'mysql://user:hunter2@h/d', TRIVIUM_SECRET: SECRET }, ['DATABASE_URL must be']],
  [{ DATABASE_URL: 'postgres://user:hunter2@h:port/d', TRIVIUM_SECRET: SECRET }, ['DATABASE_URL must be']],
  [{ TRIVIUM_SECRET: 'hunter2' }, ['TRIVIUM_SECRET must have at least 16 characters']],
  [{ TRIVIUM_SECRET: SECRET }, []],
  [{ TRIVIUM_WORKERS: '2' }, ['TRIVIUM_WORKERS above 1 needs DATABASE_URL']],
  [{ TRIVIUM_WORKERS: '0' }, ['TRIVIUM_WORKERS must be a whole number from 1']],
  [{ TRIVIUM_LOG: 'verbose' }, ['TRIVIUM_LOG must be off, errors, requests, not "verbose"']],
  [{ TRIVIUM_WORKERS: '1.5' }, ['TRIVIUM_WORKERS must be']],
  [{ TRIVIUM_CONFIG: '/nowhere/trivium.yaml' }, ['TRIVIUM_CONFIG: /nowhere/trivium.yaml is not a file']],
  [{ TRIVIUM_CONFIG: tmpdir() }, ['is not a file']],
  [{ OPENAI_API_KEY: 'hunter2' }, []],
  [
    { PORT: 'x', HOST: '!', TRIVIUM_WORKERS: 'x', DATABASE_URL: 'x', TRIVIUM_CONFIG: '/x/y' },
    ['HOST', 'PORT', 'TRIVIUM_WORKERS', 'DATABASE_URL', 'TRIVIUM_SECRET', 'TRIVIUM_CONFIG'],
  ],
]

test.each(ENVIRONMENTS)('environment %j', (env, expected) => {
  const { mistakes } = readEnvironment(env)
  expect(mistakes).toHaveLength(expected.length)
  const text = formatMistakes(mistakes)
  for (const line of text.split('\n').filter(Boolean)) expect(line).toStartWith('environment: ')
  for (const part of expected) expect(text).toContain(part)
  expect(text).not.toContain('hunter2')
})

test('set variables are used', () => {
  const file = join(folder, 'own.yaml')
  writeFileSync(file, '')
  const env = { HOST: '0.0.0.0', PORT: '0', TRIVIUM_DATA: folder, TRIVIUM_CONFIG: file, TRIVIUM_LOG: 'errors' }
  const { environment, mistakes } = readEnvironment({ ...env, DATABASE_URL: POSTGRES, TRIVIUM_SECRET: SECRET })
  expect(mistakes).toEqual([])
  expect(environment).toEqual({
    host: '0.0.0.0',
    port: 0,
    dataDir: folder,
    configFile: file,
    watchedFile: file,
    databaseUrl: POSTGRES,
    secret: SECRET,
    secretOld: undefined,
    workers: 1,
    log: 'errors',
    clouds: { variables: {}, forPrograms: {} },
    warnings: [],
  })
})

describe('secrets from files', () => {
  const secretFile = (text: string) => written(`secret-${crypto.randomUUID()}`, text)

  test('TRIVIUM_SECRET_FILE and DATABASE_URL_FILE name files, whose last line may end', () => {
    const env = { TRIVIUM_SECRET_FILE: secretFile(`${SECRET}\n`), DATABASE_URL_FILE: secretFile(`${POSTGRES}\n`) }
    const { environment, mistakes } = readEnvironment(env)
    expect(mistakes).toEqual([])
    expect(environment).toMatchObject({ secret: SECRET, databaseUrl: POSTGRES })
  })

  test.each([
    [() => ({ TRIVIUM_SECRET_FILE: '/nowhere/secret' }), 'TRIVIUM_SECRET_FILE: cannot read /nowhere/secret'],
    [() => ({ TRIVIUM_SECRET_FILE: secretFile(' \n') }), 'is empty'],
    [() => ({ TRIVIUM_SECRET_FILE: secretFile(SECRET), TRIVIUM_SECRET: SECRET }), 'are both set: unset one of them'],
    [() => ({ TRIVIUM_SECRET_FILE: secretFile('hunter2') }), 'TRIVIUM_SECRET must have at least 16 characters'],
  ])('mistakes, without the secret: %#', (env, expected) => {
    const { mistakes } = readEnvironment(env())
    expect(mistakes).toHaveLength(1)
    expect(mistakes[0]?.message).toContain(expected)
    expect(mistakes[0]?.message).not.toContain('hunter2')
  })

  const config = (key: string) =>
    written('secrets.yaml', `upstreams:\n  - { id: main, kind: openai, keys: ["${key}"] }\n`)

  test('a reference to a file in the configuration, relative to it or not', () => {
    const file = secretFile(`sk-\${OTHER}\n`)
    for (const path of [file, file.slice(folder.length + 1)])
      expect(loadFile(config(`\${file:${path}}`), {}).config?.upstreams.get('main')?.keys).toEqual([`sk-\${OTHER}`])
  })

  test.each([
    ['/nowhere/key', 'cannot use the file /nowhere/key: it does not exist'],
    [tmpdir(), 'it is not a file'],
    ['/dev/zero', 'it is not a file'],
  ])('%s is a mistake with its line', (path, expected) => {
    const { config: loaded, mistakes } = loadFile(config(`\${file:${path}}`), {})
    expect(loaded).toBeUndefined()
    expect(mistakes).toMatchObject([{ line: 2, message: expect.stringContaining(expected) }])
  })

  test('a file that is too large, and one without text', () => {
    for (const [text, expected] of [
      ['x'.repeat(65_537), 'it is larger than 64 KiB'],
      ['\n', 'it is empty'],
    ] as const)
      expect(loadFile(config(`\${file:${secretFile(text)}}`), {}).mistakes[0]?.message).toContain(expected)
  })
})

test('no file at all: the sandbox', () => {
  expect(loadFile(undefined, {}).config?.sandbox.on).toBe(true)
})

function written(name: string, content: string | Uint8Array): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

test.each([
  ['missing', () => join(folder, 'gone.yaml'), 'cannot be read: no such file'],
  ['a folder', () => folder, 'cannot be read: it is a folder'],
  ['not text', () => written('binary.yaml', new Uint8Array([0x61, 0x3a, 0x20, 0xff, 0xfe])), 'is not UTF-8 text'],
  ['nested without end', () => written('deep.yaml', '['.repeat(200_000)), 'not valid YAML'],
])('a file that is %s is one mistake', (_, make, message) => {
  const { config, mistakes } = loadFile(make(), {})
  expect(config).toBeUndefined()
  expect(mistakes[0]?.message).toContain(message)
})

test('tls: a matching pair is accepted, with paths relative to the file', () => {
  const place = join(folder, 'pair')
  mkdirSync(place)
  copyFileSync(join(FIXTURES, 'localhost.cert.pem'), join(place, 'cert.pem'))
  copyFileSync(join(FIXTURES, 'localhost.key.pem'), join(place, 'key.pem'))
  const file = written('pair/trivium.yaml', 'server: { tls: { cert: ./cert.pem, key: key.pem } }')
  const { config, mistakes } = loadFile(file, {})
  expect(mistakes).toEqual([])
  expect(config?.server.tls).toEqual({ certFile: join(place, 'cert.pem'), keyFile: join(place, 'key.pem') })
})

const [CERT, KEY, OTHER] = ['localhost.cert.pem', 'localhost.key.pem', 'other.key.pem'].map((name) =>
  join(FIXTURES, name),
)

test.each([
  [CERT, OTHER, '2: server.tls: the private key does not belong to the certificate'],
  [KEY, KEY, `3: server.tls.cert: ${KEY} does not contain a certificate in PEM format`],
  [CERT, CERT, `4: server.tls.key: ${CERT} does not contain a private key in PEM format`],
  ['gone.pem', KEY, '3: server.tls.cert: cannot read'],
])('tls: %s with %s is rejected', (cert, key, message) => {
  const file = written('tls.yaml', `server:\n  tls:\n    cert: ${cert}\n    key: ${key}\n`)
  const { mistakes } = loadFile(file, {})
  expect(mistakes).toHaveLength(1)
  expect(formatMistakes(mistakes)).toContain(`tls.yaml:${message}`)
})

describe('files that look like a configuration and are not read', () => {
  const home = process.cwd()
  const here = () => mkdtempSync(join(tmpdir(), 'trivium-names-'))
  const remarksIn = (files: Record<string, string>, env: Record<string, string> = {}): readonly string[] => {
    const place = here()
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text)
    process.chdir(place)
    try {
      return readEnvironment(env).environment.warnings.map((remark) => remark.replace(/\/\S+\/(?=[^/]+ is)/, ''))
    } finally {
      process.chdir(home)
      rmSync(place, { recursive: true, force: true })
    }
  }
  const YML = 'trivium.yml is not read: rename it to trivium.yaml, or set TRIVIUM_CONFIG=trivium.yml'
  const DOTENV = 'PORT=1\nexport OPENAI_API_KEY=hunter2\n#ARK_API_KEY=x\nOTHER=1\nTRIVIUM_DATA=/x\n'

  test.each<[string, Record<string, string>, Record<string, string>, string[]]>([
    ['trivium.yml alone', { 'trivium.yml': '' }, {}, [YML]],
    ['trivium.yml beside trivium.yaml', { 'trivium.yml': '', 'trivium.yaml': '' }, {}, []],
    ['trivium.yml that is named', { 'trivium.yml': '' }, { TRIVIUM_CONFIG: 'trivium.yml' }, []],
    [
      ...(['.env with our variables', { '.env': DOTENV }, { PORT: '1' }] as const),
      ['.env is not read; set its variables in the environment: OPENAI_API_KEY, TRIVIUM_DATA'],
    ],
    ['.env of something else', { '.env': 'OTHER=1\n' }, {}, []],
    ['nothing', {}, {}, []],
  ])('%s', (_, files, env, expected) => {
    expect(remarksIn(files, env)).toEqual(expected)
  })
})

test('an empty file is a mistake at a reload, and means the defaults at a start', () => {
  for (const text of ['', '# nothing\n', '---\n', '~\n']) {
    const file = written('empty.yaml', text)
    expect(loadFile(file, {}).config?.sandbox.on).toBe(true)
    expect(loadFile(file, {}, false).mistakes).toMatchObject([{ file, message: expect.stringContaining('is empty') }])
  }
  expect(loadFile(written('empty.yaml', '{}'), {}, false).mistakes).toEqual([])
})
