// The console's snippets, run against a real gateway as a reader would run them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENTS, protocolsOf, snippetFor } from '../../packages/console/src/snippets/clients/index.ts'
import {
  javascriptLiteral,
  jsonLiteral,
  pythonLiteral,
  shellQuote,
} from '../../packages/console/src/snippets/literals.ts'
import { PROTOCOLS } from '../../packages/console/src/snippets/protocols.ts'
import { requestSnippet } from '../../packages/console/src/snippets/request-snippet.ts'
import type { Client, Protocol } from '../../packages/console/src/snippets/types.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { wavOf } from '../../test/support/requests/audio.ts'

const MODELS: Readonly<Record<Protocol, string>> = {
  chat: 'sandbox-text',
  responses: 'sandbox-text',
  messages: 'sandbox-text',
  'generate-content': 'sandbox-text',
  completions: 'sandbox-text',
  images: 'sandbox-image',
  'video-tasks': 'sandbox-video',
  embeddings: 'sandbox-embedding',
  embed: 'sandbox-embedding',
  rerank: 'sandbox-rerank',
  speech: 'sandbox-speech',
  transcriptions: 'sandbox-transcription',
  moderations: 'sandbox-moderation',
}

let gateway: Gateway
let secret: string
/** Where packages are found, and no other test lists files meanwhile. */
let folder: string
beforeAll(async () => {
  gateway = await startGateway()
  secret = (await newKey(gateway)).secret
  folder = mkdtempSync(join(import.meta.dir, '../node_modules/.snippets-'))
  // What the snippets of transcriptions upload.
  await Bun.write(join(folder, 'audio.mp3'), wavOf(1))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await gateway.stop()
})

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout
}

const clientOf = (id: string): Client => {
  const found = CLIENTS.find((client) => client.id === id)
  if (!found) throw new Error(`There is no client ${id}.`)
  return found
}

const snippet = (client: string, protocol: Protocol, model = MODELS[protocol]) =>
  snippetFor({
    client: clientOf(client),
    protocol,
    model,
    baseUrl: gateway.url,
    secret,
    prompt: `It's "quoted" & $HOME \\ 你好`,
  })

const codeOf = (client: string, protocol: Protocol): string => {
  const part = snippet(client, protocol).parts.at(-1)
  return part && 'code' in part ? part.code : ''
}

const ANSWERS: Readonly<Record<Protocol, RegExp>> = {
  chat: /quoted/,
  responses: /quoted/,
  messages: /quoted/,
  'generate-content': /quoted/,
  completions: /text_completion|\S/,
  images: /b64_json|^$/,
  'video-tasks': /cgt-|succeeded http/,
  embeddings: /\d\.\d/,
  embed: /\d\.\d/,
  rerank: /relevance_score/,
  speech: /^$/,
  transcriptions: /sandbox/i,
  moderations: /false/,
}

describe.each([...PROTOCOLS])('%s', (protocol) => {
  test('the curl snippet gets an answer', async () => {
    expect(await run(['sh', '-c', codeOf('curl', protocol).replace('curl ', 'curl -sS --fail-with-body ')])).toMatch(
      ANSWERS[protocol],
    )
  })

  test('the JavaScript snippet gets an answer', async () => {
    const file = join(folder, `${protocol}.mjs`)
    await Bun.write(file, codeOf('javascript', protocol))
    expect(await run([process.execPath, file])).toMatch(ANSWERS[protocol])
  })

  test('the Python snippet is valid Python', async () => {
    const python = Bun.which('python3')
    const code = codeOf('python', protocol)
    expect(code).toContain(secret)
    // Without an interpreter only the text can be checked.
    if (python) await run([python, '-c', 'import ast, sys; ast.parse(sys.argv[1])', code])
  })
})

test('an image model is asked for an image by generate-content, too', async () => {
  const code = (client: string): string => {
    const more = {
      model: 'sandbox-image',
      baseUrl: gateway.url,
      secret,
      prompt: 'A lighthouse',
      wanted: 'image' as const,
    }
    const part = snippetFor({ client: clientOf(client), protocol: 'generate-content', ...more }).parts.at(-1)
    return part && 'code' in part ? part.code : ''
  }
  expect(await run(['sh', '-c', code('curl').replace('curl ', 'curl -sS --fail-with-body ')])).toContain('"inlineData"')
  await Bun.write(join(folder, 'image.mjs'), code('javascript'))
  await run([process.execPath, join(folder, 'image.mjs')])
  expect(await Bun.file(join(folder, 'image.png')).slice(1, 4).text()).toBe('PNG')
  const python = Bun.which('python3')
  if (python) await run([python, '-c', 'import ast, sys; ast.parse(sys.argv[1])', code('python')])
})

test('an embedding model is asked for a vector by generate-content, too', async () => {
  const code = (client: string): string => {
    const more = { model: 'sandbox-embedding', baseUrl: gateway.url, secret, prompt: 'A', wanted: 'vector' as const }
    const part = snippetFor({ client: clientOf(client), protocol: 'generate-content', ...more }).parts.at(-1)
    return part && 'code' in part ? part.code : ''
  }
  expect(await run(['sh', '-c', code('curl').replace('curl ', 'curl -sS --fail-with-body ')])).toContain('"values"')
  await Bun.write(join(folder, 'vector.mjs'), code('javascript'))
  expect(await run([process.execPath, join(folder, 'vector.mjs')])).toMatch(/^\[[ \d.,-]+\]/)
  const python = Bun.which('python3')
  if (python) await run([python, '-c', 'import ast, sys; ast.parse(sys.argv[1])', code('python')])
})

test.each([
  ['curl', 'chat', '/v1'],
  ['curl', 'messages', ''],
  ['curl', 'generate-content', '/v1beta'],
  ['curl', 'video-tasks', '/api/v3'],
  ['javascript', 'completions', '/v1'],
  ['python', 'embed', ''],
  ['python', 'responses', '/v1'],
  ['python', 'messages', ''],
  ['javascript', 'generate-content', ''],
  ['claude-code', 'messages', ''],
  ['codex', 'responses', '/v1'],
  ['gemini-cli', 'generate-content', ''],
  ['cursor', 'chat', '/v1'],
  ['open-webui', 'chat', '/v1'],
  ['cherry-studio', 'chat', ''],
  ['ai-sdk', 'messages', '/v1'],
  ['ai-sdk', 'generate-content', '/v1beta'],
  ['langchain-js', 'messages', ''],
  ['go', 'generate-content', ''],
  ['java', 'chat', '/v1'],
] as const)('%s with %s gets the base URL ending in "%s"', (client, protocol, path) => {
  expect(snippet(client, protocol).baseUrl).toBe(gateway.url + path)
  expect(JSON.stringify(snippet(client, protocol).parts)).toContain(gateway.url + path)
  expect(JSON.stringify(snippet(client, protocol).parts)).toContain(secret)
})

const ALL = CLIENTS.flatMap((client) => protocolsOf(client).map((protocol) => [client.id, protocol] as const))

test.each(ALL)('%s with %s is given the base URL, the key and the model', (client, protocol) => {
  const { baseUrl, parts } = snippet(client, protocol)
  const text = JSON.stringify(parts)
  expect(parts.length).toBeGreaterThan(0)
  expect([baseUrl, secret, MODELS[protocol]].filter((value) => !text.includes(value))).toEqual([])
})

test('ids of clients are unique, and no protocol of a client is in two of its connections', () => {
  expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length)
  expect(new Set(ALL.map((pair) => pair.join())).size).toBe(ALL.length)
})

/** Files that the console shows, and docs/use/coding-agents.md and chat-applications.md from the same source. */
const FILES = ALL.flatMap(([client, protocol]) =>
  snippetFor({
    client: clientOf(client),
    protocol,
    model: 'm',
    baseUrl: 'http://g',
    secret: 's',
    prompt: 'p',
  }).parts.flatMap((part) => (part.kind === 'file' ? [part] : [])),
)
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  json: JSON.parse,
  toml: Bun.TOML.parse,
  yml: Bun.YAML.parse,
}

test.each(FILES.filter(({ language }) => language in PARSERS))('the file $path can be parsed', ({ language, code }) => {
  expect(Object.keys(PARSERS[language]?.(code) ?? {}).length).toBeGreaterThan(0)
})

/** Several versions of these packages are installed here, by alias. */
const ALIASES: Readonly<Record<string, string>> = {
  ai: 'ai-7',
  '@ai-sdk/openai': '@ai-sdk/openai-4',
  '@ai-sdk/openai-compatible': '@ai-sdk/openai-compatible-3',
  '@ai-sdk/anthropic': '@ai-sdk/anthropic-4',
  '@ai-sdk/google': '@ai-sdk/google-4',
}
const FRAMEWORKS = ALL.filter(([id]) => /^(ai-sdk|langchain-js|openai-agents-js)$/.test(id))

test.each(FRAMEWORKS)(
  'the program of %s with %s gets an answer',
  async (client, protocol) => {
    const code = codeOf(client, protocol).replace(/(?<= from ')[^']+/g, (name) => ALIASES[name] ?? name)
    const program = join(folder, `${client}-${protocol}.mjs`)
    await Bun.write(program, code)
    expect(await run([process.execPath, program])).toContain('quoted')
  },
  60_000,
)

test.each(['curl', 'python', 'javascript'] as const)('%s: a streamed request is shown as one', (client) => {
  const body = { model: 'sandbox-text', stream: true, messages: [{ role: 'user', content: 'Hi' }] }
  const { parts } = requestSnippet(client, { protocol: 'chat', body }, { baseUrl: gateway.url, secret })
  const shown = { curl: /curl -N/, python: /for event in/, javascript: /for await/ }[client]
  expect(JSON.stringify(parts)).toMatch(shown)
})

const HOSTILE = [
  `'; rm -rf / #`,
  '"; import os #',
  '\\',
  "\\'",
  '$(id) `id` $HOME',
  'line\nbreak\u2028\u2029',
  '</script>',
]

test.each(HOSTILE)('quotes %j in every language', async (text) => {
  const value = { text, nested: [text, { [text]: null }], yes: true }
  expect(new Function(`return ${javascriptLiteral(value)}`)()).toEqual(value)
  expect(JSON.parse(jsonLiteral(value))).toEqual(value)
  expect(await run(['sh', '-c', `printf %s ${shellQuote(text)}`])).toBe(text)
  const python = Bun.which('python3')
  if (python) {
    const printed = await run([python, '-c', `import json; print(json.dumps(${pythonLiteral(value)}))`])
    expect(JSON.parse(printed)).toEqual(value)
  }
})
