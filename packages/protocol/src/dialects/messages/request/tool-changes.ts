// Blocks that make tools available in mid-conversation, or take them away. Other dialects have one list of tools for the whole
// conversation: it becomes what is in force at the end.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { ForeignPart, Part, Turn } from '../../../canonical/request.ts'
import { type DecodedTools, decodeTools } from './decode-tools.ts'

/** The turns without such blocks, whose tools are added to these or taken from them. Blocks about tools of a server stay. */
export function withToolChanges(turns: Turn[], tools: DecodedTools): Turn[] {
  if (!turns.some(({ parts }) => parts.some(isChange))) return turns
  return turns.map((turn) => ({
    ...turn,
    parts: turn.parts.filter((part) => !isChange(part) || !isApplied(part, tools)),
  }))
}

const isChange = (part: Part): part is ForeignPart & { block: Json } =>
  part.type === 'foreign' && part.block !== undefined

function isApplied({ what, block }: { what: string; block: Json }, into: DecodedTools): boolean {
  const tool = isObject(block.tool) ? block.tool : {}
  const others = (name: unknown): void => {
    into.tools = into.tools.filter((each) => each.name !== name)
    into.hostedTools = into.hostedTools.filter((each) => each.name !== name)
  }
  if (what === 'tool_removal' && tool.type === 'tool_reference') {
    others(tool.name)
    return true
  }
  if (tool.type === 'tool_definition') {
    const added = decodeTools({ tools: [tool.definition] })
    const [own] = [...added.tools, ...added.hostedTools]
    others(own?.name)
    into.tools.push(...added.tools)
    into.hostedTools.push(...added.hostedTools)
    return true
  }
  // Declared among the tools: those that wait for such a block have been found by it.
  return tool.type === 'tool_reference' && [...into.tools, ...into.hostedTools].some(({ name }) => name === tool.name)
}
