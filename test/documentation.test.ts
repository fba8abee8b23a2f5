// The calls that the pages show, run as they stand there with only the address and the key filled in; and the links between pages.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Gateway, startGateway } from './support/gateway/gateway.ts'
import { wavOf } from './support/requests/audio.ts'

const ROOT = join(import.meta.dir, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const pages = {
  readme: read('README.md'),
  clients: read('docs/use/clients.md'),
  images: read('docs/use/images.md'),
  videos: read('docs/use/videos.md'),
  audio: read('docs/use/audio.md'),
}
const blocksOf = (page: string, language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code)
const curlsOf = (page: string) => blocksOf(page, 'sh').filter((code) => code.startsWith('curl'))
const curls = [...curlsOf(pages.clients), ...curlsOf(pages.readme)]
const imageCurls = curlsOf(pages.images)
const programs = blocksOf(pages.clients, 'ts')
/** Inside the project, so that a program finds the SDKs as a user's would. */
const folder = join(ROOT, 'node_modules/.cache/documented-calls')

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'hello.wav'), wavOf(6))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await gateway.stop()
})

const filledIn = (code: string) =>
  code
    .replaceAll('http://127.0.0.1:3333', gateway.url)
    .replaceAll('sk-...', gateway.firstKey ?? '')
    // Several versions are installed here, by alias.
    .replace("from 'ai'", "from 'ai-7'")
    .replace("from '@ai-sdk/openai'", "from '@ai-sdk/openai-4'")

/** Read as a shell would: the machine that runs the tests may have no curl. */
async function responseTo(code: string): Promise<{ status: number; text: string }> {
  const command = filledIn(code)
  const headers = [...command.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, name = '', value = '']) => [name, value])
  const url = /^curl (?:-N )?(\S+)/.exec(command)?.[1] ?? ''
  const body = /-d '([^']*)'/.exec(command)?.[1] ?? formOf(command)
  const response = await fetch(url, { method: 'POST', headers: headers as [string, string][], body })
  return { status: response.status, text: await response.text() }
}

function formOf(command: string): FormData {
  const form = new FormData()
  for (const [, name = '', quoted, plain = ''] of command.matchAll(/-F (\w+)=(?:'([^']*)'|(\S+))/g)) {
    const value = quoted ?? plain
    form.append(name, value.startsWith('@') ? Bun.file(join(folder, value.slice(1))) : value)
  }
  return form
}

const firstLine = (code: string): string => code.split('\n')[0] ?? ''

describe('the first call', () => {
  test('is shown with curl, with the SDK of each protocol and with frameworks', () => {
    expect(curlsOf(pages.clients)).toHaveLength(3)
    expect(blocksOf(pages.clients, 'ts')).toHaveLength(6)
    // Not run here: the SDKs for Python do not come with npm.
    const python = blocksOf(pages.clients, 'python')
    expect(python.map((code) => [firstLine(code), code.includes('http://127.0.0.1:3333')])).toEqual([
      ['from openai import OpenAI', true],
      ['from anthropic import Anthropic', true],
      ['from google import genai', true],
    ])
  })

  test('is on the first page', () => {
    expect(curlsOf(pages.readme)).toHaveLength(1)
  })

  test.each(curls.map((code) => [firstLine(code), code]))('%s', async (_, code) => {
    expect(await responseTo(code)).toEqual({
      status: 200,
      text: expect.stringContaining('Hello') as unknown as string,
    })
  })

  test.each(programs.map((code, index) => [firstLine(code), code, index] as const))('%s', async (_, code, index) => {
    const file = join(folder, `call-${index}.ts`)
    writeFileSync(file, filledIn(code))
    const child = Bun.spawn([process.execPath, file], { stdout: 'pipe', stderr: 'pipe' })
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toContain('Hello')
  })
})

describe('images', () => {
  test('the program writes the file that the edit sends', async () => {
    const [program = ''] = blocksOf(pages.images, 'ts')
    const file = join(folder, 'image.ts')
    writeFileSync(file, filledIn(program))
    const child = Bun.spawn([process.execPath, file], { cwd: folder, stderr: 'pipe' })
    const errors = await child.stderr.text()
    expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: '' })
    expect(await new Bun.Image(Bun.file(join(folder, 'lighthouse.png'))).metadata()).toMatchObject({ format: 'png' })

    expect(imageCurls).toHaveLength(5)
    for (const code of imageCurls) {
      const { status, text } = await responseTo(code)
      const hasImage = /"(b64_json|data)":"iVBOR|"url":"http/.test(text)
      expect([code, status, hasImage]).toEqual([code, 200, true])
    }
  })
})

describe('videos', () => {
  test('a submit is answered with the id that the query takes', async () => {
    const [submit = '', query = ''] = curlsOf(pages.videos)
    const { status, text } = await responseTo(submit)
    const { id } = JSON.parse(text)
    expect([status, id]).toEqual([200, expect.stringMatching(/^cgt-/)])
    const url = /(http\S+)cgt-\.\.\./.exec(filledIn(query))?.[1]
    const task = await fetch(`${url}${id}`, { headers: { authorization: `Bearer ${gateway.firstKey}` } })
    expect(await task.json()).toMatchObject({ id, model: 'sandbox-video' })
  })
})

test.each([
  ['embeddings', '"embedding'],
  ['rerank', '"relevance_score"'],
  ['moderation', '"flagged":true'],
])('the calls of docs/use/%s.md', async (page, expected) => {
  const codes = curlsOf(read(`docs/use/${page}.md`))
  expect(codes.length).toBeGreaterThan(0)
  for (const code of codes)
    expect(await responseTo(code)).toEqual({ status: 200, text: expect.stringContaining(expected) })
})

test('speech is shown as bytes and as events, transcription as JSON and subtitles', async () => {
  const responses = await Promise.all(curlsOf(pages.audio).map(responseTo))
  expect(responses.map(({ status, text }) => [status, /^data: |^1\n|^\{/.exec(text)?.[0]])).toEqual([
    [200, undefined],
    [200, 'data: '],
    [200, '{'],
    [200, '1\n'],
  ])
})

test('the programs of docs/use/audio.md', async () => {
  const outputs = blocksOf(pages.audio, 'ts').map(async (program, index) => {
    writeFileSync(join(folder, `audio-${index}.ts`), filledIn(program))
    const child = Bun.spawn([process.execPath, `audio-${index}.ts`], { cwd: folder, stdout: 'pipe' })
    return await child.stdout.text()
  })
  expect(await Promise.all(outputs)).toEqual([
    expect.stringContaining('hello.mp3'),
    expect.stringContaining('The tide is highest at noon.'),
  ])
})

describe('pages', () => {
  const markdown = [
    '.',
    'docs',
    'docs/contribute',
    'docs/decisions',
    'docs/start',
    'docs/use',
    'docs/migrate',
    'docs/operate',
    'docs/reference',
    'faults',
    'torture',
    'packages/http',
    'packages/sandbox',
  ].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  )

  /** As GitHub makes the anchor of a heading. */
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  const anchorsOf = (page: string) =>
    [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

  test('link to files and headings that exist', () => {
    const broken = markdown.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
        if (/^[a-z]+:/.test(link)) return []
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : join(dirname(page), path)
        const exists = existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).includes(anchor))
        return exists ? [] : [`${page}: ${link}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test('name source files that exist', () => {
    const files = ['packages', 'test', 'bench', 'faults', 'torture', 'tools'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
    )
    const missing = markdown.flatMap((page) =>
      [...read(page).matchAll(/`([\w./*-]+\.(?:ts|mjs|sql))`/g)].flatMap(([, name = '']) => {
        const pattern = new RegExp(`/${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
        return files.some((file) => pattern.test(file)) ? [] : [`${page}: ${name}`]
      }),
    )
    expect(missing).toEqual([])
  })

  test('ARCHITECTURE.md shows the floors that the test of the architecture enforces', () => {
    const names = (text: string) => [...text.matchAll(/[\w-]+/g)].map(([name]) => name).join()
    const list = /const FLOORS[^=]*= \[([\s\S]*?)\n\]/.exec(read('test/architecture.test.ts'))?.[1] ?? ''
    const enforced = list.trim().split('\n').map(names)
    const shown = /^## Imports$[\s\S]*?```\n([\s\S]*?)\n```/m.exec(read('ARCHITECTURE.md'))?.[1] ?? ''
    expect(shown.split('\n').map(names)).toEqual(enforced)
    expect(enforced.length).toBeGreaterThan(10)
  })

  test('each of docs/ is listed in docs/README.md', () => {
    const index = read('docs/README.md')
    const all = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    const missing = all.filter(
      (name) => name.endsWith('.md') && !/^(README|decisions)/.test(name) && !index.includes(`](${name})`),
    )
    expect(missing).toEqual([])
  })
})
