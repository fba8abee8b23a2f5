// Reasoning that only some protocols have, for the AI SDK as a client.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { clientOf, MAJORS } from '../../court/clients/ai-sdk.ts'
import { type SandboxGateway, startSandboxGateway } from '../../test/support/gateway/sandbox-gateway.ts'

let gateway: SandboxGateway
beforeAll(async () => {
  gateway = await startSandboxGateway()
})
afterAll(() => gateway.stop())

describe.each(MAJORS)('AI SDK %d', (major) => {
  test.each([
    [false],
    [true],
  ])('the reasoning of a chat upstream reaches a responses client, streamed: %p', async (streamed) => {
    const client = await clientOf('responses', major, { origin: gateway.url, key: gateway.key, model: 'over-chat' })
    const { reasoningText } = await client.call({ prompt: 'Think 5 words. Say 7 words', streamed })
    expect(reasoningText).toContain('[sandbox]')
  })

  test.each([
    ['responses'],
    ['generate-content'],
  ])('a chat client that asks gets the reasoning of a %s upstream', async (upstream) => {
    const client = await clientOf('compatible', major, {
      origin: gateway.url,
      key: gateway.key,
      model: `over-${upstream}`,
    })
    const providerOptions = { gateway: { include_reasoning: true } }
    const { reasoningText } = await client.call({
      prompt: 'Think 5 words. Say 7 words',
      providerOptions,
      streamed: true,
    })
    expect(reasoningText).toContain('[sandbox]')
  })
})
