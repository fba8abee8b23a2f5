// What every service rejects in a request's tools, checked before anything is sent: a forced tool that is missing, and
// where names must be unique, a name that comes twice.

import { unsupported, wrong } from '../reading.ts'
import type { CanonicalRequest, Tool, ToolChoice } from '../request.ts'

type Offered = Pick<CanonicalRequest, 'tools' | 'hostedTools'>

/**
 * `at`: where the caller chooses. Throws RequestError. Where tools that a vendor runs are offered too, their names are the
 * vendor's business, and so is a choice among them.
 */
export function checkChoice(choice: ToolChoice | undefined, { tools, hostedTools }: Offered, at: string): void {
  if (choice === undefined || hostedTools.length > 0) return
  if (choice.mode === 'required' && tools.length === 0) {
    throw wrong(at, `${at} demands that a tool is called, but no tools are given`)
  }
  const names = choice.mode === 'tool' ? [choice.name] : choice.mode === 'allowed' ? choice.names : []
  const missing = names.find((name) => !tools.some((tool) => isCalled(tool, name)))
  if (missing !== undefined) throw wrong(at, `${at} names ${JSON.stringify(missing)}, which is not among the tools`)
}

const isCalled = (tool: Tool, name: string): boolean => tool.name === name || tool.namespace?.name === name

/** Takes each name and its place; throws RequestError at the first name that occurs again. */
export function openUniqueNames(): (name: string, at: string) => void {
  const known = new Map<string, string>()
  return (name, at) => {
    const first = known.get(name)
    if (first !== undefined) throw wrong(at, `${at} is ${JSON.stringify(name)} as is ${first}: each name may come once`)
    known.set(name, at)
  }
}

/** For a target that takes each name once, from a caller whose dialect does not mind. */
export function rejectDuplicateTools(tools: readonly Tool[]): void {
  if (tools.length < 2) return
  const names = new Set<string>()
  for (const { name } of tools) {
    if (names.has(name)) {
      throw unsupported('tools', `tools has ${JSON.stringify(name)} twice, and this model's upstream takes a name once`)
    }
    names.add(name)
  }
}
