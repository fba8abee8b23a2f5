// Recognizes configuration files and terms of other gateways, and suggests the equivalent.
import { isMap, isScalar } from 'yaml'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'

const LITELLM_SECTIONS = ['model_list', 'litellm_settings', 'router_settings', 'general_settings']

/** Whether the file is a LiteLLM configuration; if so, reports one mistake instead of one per line. */
export function isLitellmFile(root: YamlValue): boolean {
  const map = root.context.resolve(root.node)
  const names = isMap(map) ? map.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')) : []
  if (!names.includes('model_list') && !names.includes('litellm_settings')) return false
  const found = names.filter((name) => LITELLM_SECTIONS.includes(name)).join(', ')
  addMistake(
    root,
    `this is a LiteLLM configuration (${found}); here, write upstreams (where models run, with their keys), models (what clients request, with routes and a price per million tokens) and groups: see docs/migrate/from-litellm.md`,
  )
  return true
}

/** Other common names of the dialects. */
const DIALECT_OF: Readonly<Record<string, string>> = {
  openai: 'chat (or responses)',
  gpt: 'chat (or responses)',
  azure: 'chat',
  completions: 'chat',
  'chat-completions': 'chat',
  'openai-chat': 'chat',
  'openai-compatible': 'chat',
  'openai-like': 'chat',
  response: 'responses',
  'openai-responses': 'responses',
  'responses-api': 'responses',
  anthropic: 'messages',
  claude: 'messages',
  message: 'messages',
  'anthropic-messages': 'messages',
  gemini: 'generate-content',
  google: 'generate-content',
  'google-genai': 'generate-content',
  vertex: 'generate-content',
  generatecontent: 'generate-content',
  'gemini-native': 'generate-content',
}

/** Undefined if the word means no dialect. `kinds`: built-in kinds, which need no dialect. */
export function dialectAdvice(written: string, kinds: ReadonlyMap<string, unknown>): string | undefined {
  const word = written
    .trim()
    .toLowerCase()
    .replace(/[_/\s]+/g, '-')
  const dialect = Object.hasOwn(DIALECT_OF, word) ? DIALECT_OF[word] : undefined
  const ways = [
    ...(dialect === undefined ? [] : [`dialect: ${dialect}`]),
    ...(kinds.has(word) ? [`kind: ${word} in place of dialect`] : []),
  ]
  return ways.length === 0 ? undefined : `write ${ways.join(', or ')}`
}
