// The sandbox in all four dialects as the model of an agent. Each request of a task gets one more prompt here, which makes the
// sandbox call the agent's next tool: an agent's own prompts mention so many tools that the sandbox would call several.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { createSandbox } from '../../packages/sandbox/src/handler.ts'

type Body = Record<string, unknown>
type Item = { role?: string; type?: string; content?: unknown; parts?: Record<string, unknown>[] }

export type Task = {
  dialect: TextDialectId
  /** Directives for the sandbox: the first without tool results, the next after one, and so on. Then it answers. */
  directives: readonly string[]
  /** How many tool results each request of the task had. */
  seen: number[]
  /** What the upstream rejected. */
  errors: string[]
}

export type ScriptedUpstream = { origin: string; tasks: Map<string, Task>; stop(): void }

export function startScriptedUpstream(): ScriptedUpstream {
  const handle = createSandbox({ faults: false, pace: 0 })
  const tasks = new Map<string, Task>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { url, headers, method } = request
      if (method !== 'POST') return handle(new Request(url, { headers }))
      const text = await request.text()
      const task = [...tasks].find(([name]) => text.includes(name))?.[1]
      if (task === undefined) return handle(new Request(url, { method, headers, body: text }))
      const dialect = dialectOf(new URL(url).pathname)
      if (dialect !== task.dialect) task.errors.push(`called as ${dialect} instead of ${task.dialect}`)
      const body = JSON.parse(text) as Body
      const results = countResults(dialect, body)
      task.seen.push(results)
      const directive = task.directives[results]
      if (directive !== undefined) addPrompt(dialect, body, directive)
      const response = await handle(new Request(url, { method, headers, body: JSON.stringify(body) }))
      if (response.status >= 400) task.errors.push(`${response.status} ${await response.clone().text()}`)
      return response
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, tasks, stop: () => void server.stop(true) }
}

function dialectOf(path: string): TextDialectId {
  if (path.endsWith('/chat/completions')) return 'chat'
  if (path.endsWith('/responses')) return 'responses'
  return path.endsWith('/messages') ? 'messages' : 'generate-content'
}

const FIELD = { chat: 'messages', responses: 'input', messages: 'messages', 'generate-content': 'contents' } as const
const blocksOf = ({ content }: Item): Item[] => (Array.isArray(content) ? content : [])

function countResults(dialect: TextDialectId, body: Body): number {
  const items = body[FIELD[dialect]]
  if (!Array.isArray(items)) return 0
  const count: Record<TextDialectId, (item: Item) => number> = {
    chat: ({ role }) => Number(role === 'tool'),
    responses: ({ type }) => Number(type?.endsWith('_call_output') ?? false),
    messages: (item) => blocksOf(item).filter(({ type }) => type === 'tool_result').length,
    'generate-content': ({ parts = [] }) => parts.filter((part) => part.functionResponse).length,
  }
  return items.map(count[dialect]).reduce((sum, results) => sum + results, 0)
}

/** As the last message, which is the one that the sandbox follows. */
function addPrompt(dialect: TextDialectId, body: Body, text: string): void {
  const items = body[FIELD[dialect]]
  if (!Array.isArray(items)) return
  // In this dialect adjacent messages of one role are one message.
  if (dialect === 'generate-content')
    items.push({ role: 'model', parts: [{ text: 'Yes.' }] }, { role: 'user', parts: [{ text }] })
  else items.push({ role: 'user', content: dialect === 'messages' ? [{ type: 'text', text }] : text })
}
