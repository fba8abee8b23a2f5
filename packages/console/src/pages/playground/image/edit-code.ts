// An edit of images as code: the pictures are files there.

import { javascriptInstall, pythonInstall } from '../../../snippets/code.ts'
import { javascriptLiteral, pythonLiteral, shellQuote } from '../../../snippets/literals.ts'
import type { Access, Snippet } from '../../../snippets/types.ts'
import type { CodeLanguage } from '../request-code.tsx'
import { extensionOf, type ImageEntry, imageBody } from './image-call.ts'

export function editCode(entry: ImageEntry, language: CodeLanguage, { baseUrl, secret }: Access): Snippet {
  const fields = Object.entries(imageBody(entry.settings))
  const files = entry.inputs.map((url, index) => `image-${index + 1}.${extensionOf(url)}`)
  const mask = entry.mask === '' ? undefined : `mask.${extensionOf(entry.mask)}`
  const base = `${baseUrl}/v1`
  if (language === 'curl') {
    const name = files.length > 1 ? 'image[]' : 'image'
    const parts = [
      ...fields.map(([field, value]) => `-F ${shellQuote(`${field}=${value}`)}`),
      ...files.map((file) => `-F ${shellQuote(`${name}=@${file}`)}`),
      ...(mask === undefined ? [] : [`-F ${shellQuote(`mask=@${mask}`)}`]),
    ]
    const lines = [`curl ${base}/images/edits`, `-H ${shellQuote(`Authorization: Bearer ${secret}`)}`, ...parts]
    return { baseUrl: base, parts: [{ kind: 'terminal', code: lines.join(' \\\n  ') }] }
  }
  const [install, code] =
    language === 'python'
      ? [pythonInstall('images'), inPython(fields, files, mask, base, secret)]
      : [javascriptInstall('images') ?? '', inJavascript(fields, files, mask, base, secret)]
  return {
    baseUrl: base,
    parts: [
      { kind: 'install', code: install },
      { kind: 'code', language: language === 'python' ? 'python' : 'js', code },
    ],
  }
}

type Fields = readonly [string, unknown][]

function inPython(fields: Fields, files: readonly string[], mask: string | undefined, base: string, secret: string) {
  const open = (file: string) => `open(${pythonLiteral(file)}, "rb")`
  const isStream = fields.some(([name]) => name === 'stream')
  const call = [
    'client.images.edit(',
    ...fields.map(([name, value]) => `    ${name}=${pythonLiteral(value, '    ')},`),
    `    image=[${files.map(open).join(', ')}],`,
    ...(mask === undefined ? [] : [`    mask=${open(mask)},`]),
    ')',
  ].join('\n')
  return [
    ...(isStream ? [] : ['import base64', '']),
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${pythonLiteral(base)}, api_key=${pythonLiteral(secret)})`,
    ...(isStream
      ? [`for event in ${call}:`, '    print(event.type)']
      : [
          `response = ${call}`,
          'with open("image.png", "wb") as file:',
          '    file.write(base64.b64decode(response.data[0].b64_json))',
        ]),
  ].join('\n')
}

function inJavascript(
  fields: Fields,
  files: readonly string[],
  mask: string | undefined,
  base: string,
  secret: string,
) {
  const open = (file: string) => `await toFile(createReadStream(${javascriptLiteral(file)}))`
  const isStream = fields.some(([name]) => name === 'stream')
  const call = [
    'await client.images.edit({',
    ...fields.map(([name, value]) => `  ${name}: ${javascriptLiteral(value, '  ')},`),
    `  image: [${files.map(open).join(', ')}],`,
    ...(mask === undefined ? [] : [`  mask: ${open(mask)},`]),
    '})',
  ].join('\n')
  return [
    "import { createReadStream } from 'node:fs'",
    ...(isStream ? [] : ["import { writeFile } from 'node:fs/promises'"]),
    "import OpenAI, { toFile } from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: ${javascriptLiteral(base)}, apiKey: ${javascriptLiteral(secret)} })`,
    ...(isStream
      ? [`const stream = ${call}`, 'for await (const event of stream) console.log(event.type)']
      : [`const response = ${call}`, "await writeFile('image.png', Buffer.from(response.data[0].b64_json, 'base64'))"]),
  ].join('\n')
}
