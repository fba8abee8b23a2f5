// The ways in which clients of the responses dialect continue a tool loop.

type Item = Record<string, unknown> & { type?: string; id?: string; call_id?: string }
type Turn = { id: string; output: Item[] }
type Request = Record<string, unknown> & { input: unknown[] }

export type Way = {
  /** What every request says. */
  always: Record<string, unknown>
  /** What the next request has before the results of the last calls. */
  history(first: Item, turns: readonly { turn: Turn; results: Item[] }[]): { input: Item[]; more?: object }
}

const flat = (
  first: Item,
  turns: readonly { turn: Turn; results: Item[] }[],
  sent: (item: Item) => Item[],
): { input: Item[] } => ({
  input: [first, ...turns.flatMap(({ turn, results }) => [...turn.output.flatMap(sent), ...results])],
})

export const WAYS: Record<string, Way> = {
  previous_response_id: {
    always: {},
    history: (first, turns) => {
      const last = turns.at(-1)
      return last ? { input: last.results, more: { previous_response_id: last.turn.id } } : { input: [first] }
    },
  },
  item_reference: {
    always: {},
    history: (first, turns) => flat(first, turns, ({ id }) => [{ type: 'item_reference', id: id as string }]),
  },
  // As the AI SDK does: reasoning without an encrypted form is left out, and with one it may come without its text.
  'encrypted reasoning': {
    always: { store: false, include: ['reasoning.encrypted_content'] },
    history: (first, turns) =>
      flat(first, turns, (item) => {
        if (item.type !== 'reasoning') return [item]
        const { encrypted_content } = item
        return encrypted_content ? [{ type: 'reasoning', id: item.id as string, summary: [], encrypted_content }] : []
      }),
  },
  'whole items, not stored': {
    always: { store: false },
    history: (first, turns) => flat(first, turns, (item) => [item]),
  },
  'whole items, stored': { always: {}, history: (first, turns) => flat(first, turns, (item) => [item]) },
}

const TOOL = {
  type: 'function',
  name: 'wind',
  strict: false,
  parameters: { type: 'object', properties: { port: { type: 'string' }, unit: { type: 'string' } } },
}

/** `received`: all responses as text. */
export type Continued = { calls: number[]; text: string; warnings: string[]; turns: Turn[]; received: string }

/** Answers calls until there are none. `models`: one for each request, the last one for all that follow. */
export async function continueBy(
  way: Way,
  { url, secret, models, streamed }: { url: string; secret: string; models: readonly string[]; streamed: boolean },
): Promise<Continued> {
  const first = { role: 'user', content: 'How much wind is there?' }
  const turns: { turn: Turn; results: Item[] }[] = []
  const continued: Continued = { calls: [], text: '', warnings: [], turns: [], received: '' }
  for (;;) {
    const { input, more } = way.history(first, turns)
    const model = models[turns.length] ?? models.at(-1)
    const request: Request = { model, tools: [TOOL], stream: streamed, ...way.always, ...more, input }
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    const text = await response.text()
    continued.received += text
    if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
    continued.warnings.push(response.headers.get('x-trivium-warnings') ?? '')
    const turn = streamed ? lastResponse(text) : (JSON.parse(text) as Turn)
    continued.turns.push(turn)
    const calls = turn.output.filter(({ type }) => type === 'function_call')
    continued.calls.push(calls.length)
    continued.text = JSON.stringify(turn.output)
    if (calls.length === 0) return continued
    const results = calls.map(({ call_id }) => ({
      type: 'function_call_output',
      call_id: call_id as string,
      output: '19',
    }))
    turns.push({ turn, results })
  }
}

function lastResponse(stream: string): Turn {
  const events = stream.split('\n').filter((line) => line.startsWith('data: {'))
  const last = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '{}') as { response: Turn }
  return last.response
}
