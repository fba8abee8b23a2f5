import { expect, test } from 'bun:test'
import type { ToolChoice } from '../request.ts'
import { checkChoice, openUniqueNames, rejectDuplicateTools } from './offered-tools.ts'

const TOOLS = [{ name: 'tide' }, { name: 'port__wind', namespace: { namespace: 'port', name: 'wind' } }]
const HOSTED = [{ name: 'web_search', at: 'tools[0]' }]

const CHOICES: [choice: ToolChoice | undefined, right: boolean][] = [
  [undefined, true],
  [{ mode: 'auto' }, true],
  [{ mode: 'none' }, true],
  [{ mode: 'required' }, true],
  [{ mode: 'tool', name: 'tide' }, true],
  [{ mode: 'tool', name: 'wind' }, true],
  [{ mode: 'tool', name: 'port__wind' }, true],
  [{ mode: 'tool', name: 'rain' }, false],
  [{ mode: 'allowed', required: false, names: ['tide'] }, true],
  [{ mode: 'allowed', required: false, names: ['tide', 'rain'] }, false],
]

test.each(CHOICES)('choice %j among tools: %p', (choice, right) => {
  const check = () => checkChoice(choice, { tools: TOOLS, hostedTools: [] }, 'tool_choice')
  if (right) check()
  else expect(check).toThrow('tool_choice names "rain", which is not among the tools')
  // What a vendor calls its own tools is not known here.
  checkChoice(choice, { tools: TOOLS, hostedTools: HOSTED }, 'tool_choice')
})

test('a tool must be called, and there is none', () => {
  const none = { tools: [], hostedTools: [] }
  expect(() => checkChoice({ mode: 'required' }, none, 'tool_choice')).toThrow('no tools are given')
  checkChoice({ mode: 'auto' }, none, 'tool_choice')
  checkChoice({ mode: 'required' }, { tools: [], hostedTools: HOSTED }, 'tool_choice')
})

test('a duplicate name is rejected at its second place', () => {
  const once = openUniqueNames()
  once('a', 'tools[0].name')
  once('b', 'tools[1].name')
  expect(() => once('a', 'tools[2].name')).toThrow('tools[2].name is "a" as is tools[0].name')
  expect(() => rejectDuplicateTools([{ name: 'a' }, { name: 'b' }, { name: 'a' }])).toThrow('tools has "a" twice')
  rejectDuplicateTools([{ name: 'a' }, { name: 'b' }])
})
