// The model of `npm run agents`, called without a gateway by a client that runs tools as agents do.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { aiSdkLoop } from '../../court/clients/tool-loops/ai-sdk-loops.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../../tools/agents/scripted-upstream.ts'

let upstream: ScriptedUpstream
beforeAll(() => {
  upstream = startScriptedUpstream()
})
afterAll(() => upstream.stop())

const PORTS = ['Brest', 'Cork']
const directives = PORTS.map((port) => `call tide_height with {"port":"${port}"}`)
const setting = { key: 'any', model: 'sandbox-text', streamed: true }

test.each(TEXT_DIALECT_IDS.map((id) => [id]))('%s: one directive after the other, then the answer', async (dialect) => {
  const task = { dialect, directives, seen: [] as number[], errors: [] as string[] }
  upstream.tasks.set(`task-${dialect}`, task)
  // The prompt itself would make the sandbox call a tool, as those of agents do.
  const prompt = `Use tide_height with {"port":"Nantes"} for task-${dialect}.`
  const [turn] = await aiSdkLoop(dialect, 7)({ ...setting, origin: upstream.origin }, [prompt])
  expect(turn).toEqual({
    calls: PORTS.map((port) => ({ name: 'tide_height', input: { port } })),
    text: expect.stringMatching(/The tool tide_height returned: .*5\.1 m at Cork/),
  })
  expect(task).toMatchObject({ seen: [0, 1, 2], errors: [] })
})

test('a call in another dialect than that of the task is an error', async () => {
  const task = { dialect: 'chat' as const, directives, seen: [] as number[], errors: [] as string[] }
  upstream.tasks.set('task-elsewhere', task)
  await aiSdkLoop('messages', 7)({ ...setting, origin: upstream.origin }, ['For task-elsewhere.'])
  expect(new Set(task.errors)).toEqual(new Set(['called as messages instead of chat']))
})
