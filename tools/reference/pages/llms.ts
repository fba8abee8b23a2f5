// llms.txt: every page with its first sentence, for programs that read documentation.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { firstSentence } from '@trivium/console/src/pages/help/document.ts'
import { type Generated, onDisk, ROOT } from '../generated.ts'

const FOLDERS = ['start', 'use', 'operate', 'recipes', 'migrate', 'reference', 'contribute']

function lineOf(file: string): string {
  const page = onDisk(file) ?? ''
  const title = /^# (.+)$/m.exec(page)?.[1] ?? file
  return `- [${title}](${file}): ${firstSentence(page)}`
}

function sectionOf(folder: string): string[] {
  const files = readdirSync(join(ROOT, 'docs', folder)).filter((name) => name.endsWith('.md'))
  const lines = files.sort().map((name) => lineOf(`docs/${folder}/${name}`))
  return [`## ${folder[0]?.toUpperCase()}${folder.slice(1)}`, '', ...lines, '']
}

const text = (): string =>
  [
    '# Trivium',
    '',
    '> A self-hosted gateway to AI models: one endpoint for the APIs of OpenAI, Anthropic and Google, keys with budgets, and a receipt for every request.',
    '',
    'A running gateway describes its API at `/openapi.json`. Every page below is Markdown.',
    '',
    ...FOLDERS.flatMap(sectionOf),
    '## Project',
    '',
    ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].map(lineOf),
  ].join('\n')

/** Generated last: its sentences are those of the other pages. */
export const LLMS: readonly Generated[] = [{ file: 'llms.txt', text }]
