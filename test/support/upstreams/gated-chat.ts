// A chat service whose streams stop after their first word until the test lets them go on.

export type GatedChat = {
  origin: string
  /** What was asked, newest last. */
  asked: { text: string; body: Record<string, unknown>; isClosed: boolean }[]
  /** Lets streams go on whose prompt contains this text, those to come too. */
  open(text: string): void
  stop(): void
}

type Choice = { delta: { content?: string }; finish_reason: string | null }

const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const frame = (choices: Choice[], more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'm', created: 1, choices, ...more })}\n\n`
const word = (content: string): string => frame([{ delta: { content }, finish_reason: null }])
const END = `${frame([{ delta: {}, finish_reason: 'stop' }])}${frame([], { usage: USAGE })}data: [DONE]\n\n`

export function startGatedChat(): GatedChat {
  const asked: GatedChat['asked'] = []
  const opened: string[] = []
  const waiting: { text: string; go(): void }[] = []
  const isOpen = (text: string): boolean => opened.some((part) => text.includes(part))

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const body = (await request.json()) as { messages: { content: string }[] }
      const text = JSON.stringify(body.messages.at(-1)?.content)
      const entry = { text, body, isClosed: false }
      asked.push(entry)
      if (text.includes('fail')) return new Response('{"error":{"message":"broken"}}', { status: 500 })
      const stream = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(Buffer.from(word('one ')))
          if (!isOpen(text)) await new Promise<void>((go) => waiting.push({ text, go }))
          if (entry.isClosed) return
          controller.enqueue(Buffer.from(`${word('two ')}${word('three')}${END}`))
          controller.close()
        },
        cancel() {
          entry.isClosed = true
        },
      })
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return {
    origin: `http://127.0.0.1:${server.port}/v1`,
    asked,
    open(text) {
      opened.push(text)
      for (const each of waiting) if (each.text.includes(text)) each.go()
    },
    stop: () => void server.stop(true),
  }
}
