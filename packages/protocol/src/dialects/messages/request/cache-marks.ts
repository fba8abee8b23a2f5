// The vendor takes four cache marks in one request and rejects a fifth. The last ones cover the most.

import type {
  WireBlockParam,
  WireCacheControl,
  WireMessageParam,
  WireSearchTool,
  WireTextParam,
  WireTool,
} from '../wire.ts'

const MOST_MARKS = 4

type Markable = { cache_control?: WireCacheControl }

type Written = {
  tools: readonly (WireTool | WireSearchTool)[]
  system: string | readonly WireTextParam[] | undefined
  messages: readonly WireMessageParam[]
}

/** Removes surplus marks from the request in place, so nothing else may refer to it yet. */
export function limitCacheMarks({ tools, system, messages }: Written): void {
  const marked: Markable[] = []
  const look = (blocks: readonly (Markable | WireBlockParam | WireSearchTool)[]): void => {
    for (const block of blocks) {
      if ('type' in block && block.type === 'tool_result' && Array.isArray(block.content)) look(block.content)
      if ('cache_control' in block && block.cache_control !== undefined) marked.push(block)
    }
  }
  look(tools)
  if (Array.isArray(system)) look(system)
  for (const { content } of messages) if (Array.isArray(content)) look(content)
  for (const block of marked.slice(0, -MOST_MARKS)) delete block.cache_control
}
