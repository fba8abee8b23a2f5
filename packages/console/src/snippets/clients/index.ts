// All clients with how each is set up: the console's snippets, the pages of docs/use/ and the table of docs/reference/clients.md come from here.

import type { Access, Client, Connection, Protocol, Snippet, Wanted } from '../types.ts'
import { AIDER, CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE } from './agents.ts'
import { CHERRY_STUDIO, DIFY, LIBRECHAT, LOBECHAT, N8N, OPEN_WEBUI } from './chat.ts'
import { CLINE, CLINE_CLI, CONTINUE, CURSOR, ROO_CODE, ZED } from './editors.ts'
import { AI_SDK, LANGCHAIN_JS, OPENAI_AGENTS_JS } from './frameworks.ts'
import { GO } from './go.ts'
import { JAVA } from './java.ts'
import { LANGCHAIN_PYTHON, LLAMA_INDEX, OPENAI_AGENTS_PYTHON, PYDANTIC_AI } from './python-frameworks.ts'
import { CURL, JAVASCRIPT, PYTHON } from './sdks.ts'

/** In the order in which they are offered, kind by kind. */
export const CLIENTS: readonly Client[] = [
  CURL,
  PYTHON,
  JAVASCRIPT,
  GO,
  JAVA,
  AI_SDK,
  LANGCHAIN_JS,
  LANGCHAIN_PYTHON,
  LLAMA_INDEX,
  PYDANTIC_AI,
  OPENAI_AGENTS_JS,
  OPENAI_AGENTS_PYTHON,
  CLAUDE_CODE,
  CODEX,
  GEMINI_CLI,
  CURSOR,
  CLINE,
  CLINE_CLI,
  ROO_CODE,
  CONTINUE,
  ZED,
  AIDER,
  OPENCODE,
  OPEN_WEBUI,
  LIBRECHAT,
  LOBECHAT,
  CHERRY_STUDIO,
  N8N,
  DIFY,
]

export const protocolsOf = ({ connections }: Client): Protocol[] => connections.flatMap(({ protocols }) => protocols)

const connectionOf = ({ connections }: Client, protocol: Protocol): Connection | undefined =>
  connections.find(({ protocols }) => protocols.includes(protocol))

/** `prompt`: what the example asks for. */
export type SnippetOptions = Access & {
  client: Client
  protocol: Protocol
  model: string
  prompt: string
  wanted?: Wanted
}

export function snippetFor({ client, wanted = 'text', ...options }: SnippetOptions): Snippet {
  const connection = connectionOf(client, options.protocol)
  if (!connection) throw new Error(`${client.name} does not speak ${options.protocol}`)
  const base = options.baseUrl + connection.path
  return { baseUrl: base, parts: connection.parts({ ...options, base, wanted }) }
}
