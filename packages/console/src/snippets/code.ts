// Source text that sends a request: curl, Python and JavaScript with the SDK of each protocol.

import { asksForVector, httpRequest, protocolBase } from './endpoints.ts'
import { javascriptLiteral, jsonLiteral, pythonLiteral, shellQuote, shellWord } from './literals.ts'
import type { Access, ExampleRequest, Protocol } from './types.ts'

export function curlCode(request: ExampleRequest, access: Access): string {
  const { url, headers, body } = httpRequest(request, access)
  if (request.protocol === 'transcriptions') return uploadByCurl(url, headers, body)
  if (request.protocol === 'speech') return `${curlOf(url, headers, body)} \\\n  -o ${fileOf(body)}`
  return curlOf(url, headers, body)
}

type Http = ReturnType<typeof httpRequest>

function curlOf(url: string, headers: Http['headers'], body: Http['body']): string {
  const isStream = body.stream === true
  const lines = [
    `curl${isStream ? ' -N' : ''} ${shellWord(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    `-d ${shellQuote(jsonLiteral(body, '  '))}`,
  ]
  return lines.join(' \\\n  ')
}

/** A form: the type of its parts is curl's matter. */
function uploadByCurl(url: string, headers: Http['headers'], { file, ...fields }: Http['body']): string {
  const { 'Content-Type': _, ...credential } = headers
  return [
    `curl ${shellWord(url)}`,
    ...Object.entries(credential).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...Object.entries(fields).map(([name, value]) => `-F ${shellQuote(`${name}=${value}`)}`),
    `-F ${shellQuote(`file=@${file}`)}`,
  ].join(' \\\n  ')
}

/** What speech is written to. */
const fileOf = ({ response_format = 'mp3' }: Readonly<Record<string, unknown>>): string => `speech.${response_format}`

const OPENAI = { python: 'openai', javascript: 'openai' }
const PACKAGES: Readonly<Record<Protocol, { python: string; javascript: string }>> = {
  chat: OPENAI,
  responses: OPENAI,
  messages: { python: 'anthropic', javascript: '@anthropic-ai/sdk' },
  'generate-content': { python: 'google-genai', javascript: '@google/genai' },
  completions: OPENAI,
  images: OPENAI,
  'video-tasks': { python: 'volcengine-python-sdk[ark]', javascript: '' },
  embeddings: OPENAI,
  embed: { python: 'cohere', javascript: '' },
  rerank: { python: 'requests', javascript: '' },
  speech: OPENAI,
  transcriptions: OPENAI,
  moderations: OPENAI,
}

/** Calls of OpenAI's SDKs whose response is printed: the method, and what of the response in Python and in JavaScript. */
const PRINTED = {
  chat: ['chat.completions.create', 'choices[0].message.content'],
  responses: ['responses.create', 'output_text'],
  completions: ['completions.create', 'choices[0].text'],
  embeddings: ['embeddings.create', 'data[0].embedding[:5]', 'data[0].embedding.slice(0, 5)'],
  moderations: ['moderations.create', 'results[0].flagged'],
} as const satisfies Partial<Record<Protocol, readonly string[]>>
type Printed = keyof typeof PRINTED
const isPrinted = (protocol: Protocol): protocol is Printed => Object.hasOwn(PRINTED, protocol)

export const pythonInstall = (protocol: Protocol): string => `pip install ${shellWord(PACKAGES[protocol].python)}`
/** undefined: nothing to install. */
export const javascriptInstall = (protocol: Protocol): string | undefined =>
  PACKAGES[protocol].javascript === '' ? undefined : `npm install ${PACKAGES[protocol].javascript}`

/** What the client of an SDK is given: that of generate-content adds the version itself. */
export const sdkBase = (protocol: Protocol, baseUrl: string): string =>
  protocol === 'generate-content' ? baseUrl : protocolBase(protocol, baseUrl)

export function pythonCode(request: ExampleRequest, { baseUrl, secret }: Access): string {
  const { protocol, body } = request
  const [base, key] = [pythonLiteral(sdkBase(protocol, baseUrl)), pythonLiteral(secret)]
  const call = (method: string, values: Readonly<Record<string, unknown>>) =>
    `${method}(\n${Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `    ${name}=${pythonLiteral(value, '    ')},\n`)
      .join('')})`
  const openai = ['from openai import OpenAI', '', `client = OpenAI(base_url=${base}, api_key=${key})`]
  const print = (method: string, result: string) =>
    body.stream === true
      ? [`for event in ${call(method, body)}:`, '    print(event)']
      : [`response = ${call(method, body)}`, `print(${result})`]
  const lines: Readonly<Record<Exclude<Protocol, Printed>, () => string[]>> = {
    messages: () => [
      'from anthropic import Anthropic',
      '',
      `client = Anthropic(base_url=${base}, api_key=${key})`,
      ...print('client.messages.create', 'response.content'),
    ],
    'generate-content': () => [
      'from google import genai',
      '',
      `client = genai.Client(api_key=${key}, http_options={"base_url": ${base}})`,
      ...(asksForVector(body)
        ? [
            `response = ${call('client.models.embed_content', vectorArguments(body))}`,
            'print(response.embeddings[0].values[:5])',
          ]
        : [`response = ${call('client.models.generate_content', contentArguments(body))}`]),
      ...(asksForVector(body)
        ? []
        : asksForImage(body)
          ? [
              'image = next(part.inline_data for part in response.candidates[0].content.parts if part.inline_data)',
              'with open("image.png", "wb") as file:',
              '    file.write(image.data)',
            ]
          : ['print(response.text)']),
    ],
    images: () =>
      body.stream === true
        ? [...openai, ...print('client.images.generate', '')]
        : [
            'import base64',
            '',
            ...openai,
            `response = ${call('client.images.generate', body)}`,
            'with open("image.png", "wb") as file:',
            '    file.write(base64.b64decode(response.data[0].b64_json))',
          ],
    'video-tasks': () => [
      'import time',
      '',
      'from volcenginesdkarkruntime import Ark',
      '',
      `tasks = Ark(base_url=${base}, api_key=${key}).content_generation.tasks`,
      `task = ${call('tasks.create', body)}`,
      'while (result := tasks.get(task_id=task.id)).status in ("queued", "running"):',
      '    time.sleep(3)',
      'print(result.status, result.content.video_url if result.content else result.error)',
    ],
    embed: () => [
      'import cohere',
      '',
      `client = cohere.ClientV2(base_url=${base}, api_key=${key})`,
      `response = ${call('client.embed', body)}`,
      'print(response.embeddings.float_[0][:5])',
    ],
    rerank: () => {
      const { url, headers } = httpRequest(request, { baseUrl, secret })
      return [
        'import requests',
        '',
        `response = requests.post(\n    ${pythonLiteral(url)},\n    headers=${pythonLiteral(headers, '    ')},\n    json=${pythonLiteral(body, '    ')},\n)`,
        'print(response.json()["results"])',
      ]
    },
    speech: () => [
      ...openai,
      `with ${call('client.audio.speech.with_streaming_response.create', body)} as response:`,
      `    response.stream_to_file("${fileOf(body)}")`,
    ],
    transcriptions: () => {
      const { file, ...fields } = body
      const values = Object.entries(fields).map(([name, value]) => `        ${name}=${pythonLiteral(value)},`)
      return [
        ...openai,
        `with open(${pythonLiteral(file)}, "rb") as file:`,
        ['    response = client.audio.transcriptions.create(', ...values, '        file=file,', '    )'].join('\n'),
        'print(response.text)',
      ]
    },
  }
  if (!isPrinted(protocol)) return lines[protocol]().join('\n')
  const [method, result] = PRINTED[protocol]
  return [...openai, ...print(`client.${method}`, `response.${result}`)].join('\n')
}

export function javascriptCode(request: ExampleRequest, access: Access): string {
  const { protocol, body } = request
  const [base, key] = [javascriptLiteral(sdkBase(protocol, access.baseUrl)), javascriptLiteral(access.secret)]
  const openai = ["import OpenAI from 'openai'", '', `const client = new OpenAI({ baseURL: ${base}, apiKey: ${key} })`]
  const call = (method: string, values: unknown) => `await ${method}(${javascriptLiteral(values)})`
  const print = (method: string, result: string) =>
    body.stream === true
      ? [`const stream = ${call(method, body)}`, 'for await (const event of stream) console.log(event)']
      : [`const response = ${call(method, body)}`, `console.log(${result})`]
  const lines: Readonly<Record<Exclude<Protocol, Printed>, () => string[]>> = {
    messages: () => [
      "import Anthropic from '@anthropic-ai/sdk'",
      '',
      `const client = new Anthropic({ baseURL: ${base}, apiKey: ${key} })`,
      ...print('client.messages.create', 'response.content'),
    ],
    'generate-content': () => [
      ...(asksForImage(body) ? ["import { writeFile } from 'node:fs/promises'"] : []),
      "import { GoogleGenAI } from '@google/genai'",
      '',
      `const client = new GoogleGenAI({ apiKey: ${key}, httpOptions: { baseUrl: ${base} } })`,
      asksForVector(body)
        ? `const response = ${call('client.models.embedContent', vectorArguments(body))}`
        : `const response = ${call('client.models.generateContent', contentArguments(body))}`,
      ...(asksForVector(body)
        ? ['console.log(response.embeddings[0].values.slice(0, 5))']
        : asksForImage(body)
          ? [
              'const { inlineData } = response.candidates[0].content.parts.find((part) => part.inlineData)',
              "await writeFile('image.png', Buffer.from(inlineData.data, 'base64'))",
            ]
          : ['console.log(response.text)']),
    ],
    images: () =>
      body.stream === true
        ? [...openai, ...print('client.images.generate', '')]
        : [
            "import { writeFile } from 'node:fs/promises'",
            ...openai,
            `const response = ${call('client.images.generate', body)}`,
            "await writeFile('image.png', Buffer.from(response.data[0].b64_json, 'base64'))",
          ],
    'video-tasks': () => videoInJavascript(request, access),
    embed: () => fetched(request, access, 'embeddings', '.float[0].slice(0, 5)'),
    rerank: () => fetched(request, access, 'results'),
    speech: () => [
      "import { writeFile } from 'node:fs/promises'",
      ...openai,
      `const response = ${call('client.audio.speech.create', body)}`,
      `await writeFile('${fileOf(body)}', Buffer.from(await response.arrayBuffer()))`,
    ],
    transcriptions: () => {
      const { file, ...fields } = body
      const values = Object.entries(fields).map(([name, value]) => `  ${name}: ${javascriptLiteral(value)},`)
      return [
        "import { createReadStream } from 'node:fs'",
        ...openai,
        'const response = await client.audio.transcriptions.create({',
        ...values,
        `  file: createReadStream(${javascriptLiteral(file)}),`,
        '})',
        'console.log(response.text)',
      ]
    },
  }
  if (!isPrinted(protocol)) return lines[protocol]().join('\n')
  const [method, result, own = result]: readonly [string, string, string?] = PRINTED[protocol]
  return [...openai, ...print(`client.${method}`, `response.${own}`)].join('\n')
}

/** Without an SDK: `field` of the response is printed, or `part` of it. */
function fetched(request: ExampleRequest, access: Access, field: string, part = ''): string[] {
  const { url, headers, body } = httpRequest(request, access)
  return [
    `const response = await fetch(${javascriptLiteral(url)}, {`,
    "  method: 'POST',",
    `  headers: ${javascriptLiteral(headers, '  ')},`,
    `  body: JSON.stringify(${javascriptLiteral(body, '  ')}),`,
    '})',
    `const { ${field} } = await response.json()`,
    `console.log(${field}${part})`,
  ]
}

function videoInJavascript(request: ExampleRequest, access: Access): string[] {
  const { url, headers, body } = httpRequest(request, access)
  return [
    `const url = ${javascriptLiteral(url)}`,
    `const headers = ${javascriptLiteral(headers)}`,
    `const body = ${javascriptLiteral(body)}`,
    "const submitted = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })",
    'const { id } = await submitted.json()',
    'let task',
    'do {',
    '  await new Promise((resolve) => setTimeout(resolve, 3000))',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is part of the snippet.
    '  task = await (await fetch(`${url}/${id}`, { headers })).json()',
    "} while (task.status === 'queued' || task.status === 'running')",
    'console.log(task.status, task.content?.video_url ?? task.error)',
  ]
}

const asksForImage = ({ generationConfig }: ExampleRequest['body']): boolean =>
  typeof generationConfig === 'object' && generationConfig !== null && 'responseModalities' in generationConfig

/** The SDKs call the content of a vector contents, too. */
const vectorArguments = ({ model, content }: ExampleRequest['body']) => ({ model, contents: content })

/** The SDKs take the settings beside the contents in one object. */
function contentArguments({ model, contents, generationConfig, ...rest }: ExampleRequest['body']) {
  const settings = { ...rest, ...(typeof generationConfig === 'object' ? generationConfig : {}) }
  return { model, contents, ...(Object.keys(settings).length === 0 ? {} : { config: settings }) }
}
