// The readable echo: what reached the sandbox, one line per subject, nothing about keys.
import type { Attachment, SandboxRequest } from '../request/sandbox-request.ts'

const SHOWN_SYSTEM = 200

export function summaryLines(request: SandboxRequest): string[] {
  const lines = [`messages: ${request.roles.length} (${countedRoles(request.roles)})`]
  if (request.system !== '') lines.push(`system: ${shortened(request.system)}`)
  if (request.attachments.length > 0) lines.push(`attachments: ${request.attachments.map(attachmentLabel).join('; ')}`)
  lines.push(...reasoningLine(request))
  if (request.tools.length > 0) lines.push(`tools: ${request.tools.map((tool) => tool.name).join(', ')}`)
  if (request.parameters.length > 0) lines.push(`parameters: ${request.parameters.join(', ')}`)
  if (request.unknownFields.length > 0) lines.push(`unknown fields: ${request.unknownFields.join(', ')}`)
  return lines
}

/** Also after tool results, where it shows whether reasoning was sent back. */
export function reasoningLine({ reasoning }: SandboxRequest): string[] {
  const { signed, unsigned } = reasoning
  return signed + unsigned === 0 ? [] : [`reasoning returned: ${signed} signed, ${unsigned} unsigned`]
}

function countedRoles(roles: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const role of roles) counts.set(role, (counts.get(role) ?? 0) + 1)
  return [...counts].map(([role, count]) => `${role} ${count}`).join(', ')
}

function shortened(text: string): string {
  const characters = [...text.slice(0, SHOWN_SYSTEM * 2)]
  const shown = characters.slice(0, SHOWN_SYSTEM).join('')
  return shown === text ? JSON.stringify(text) : `${JSON.stringify(shown)}... (${text.length} characters)`
}

function attachmentLabel({ kind, label, bytes }: Attachment): string {
  return bytes === undefined ? `${kind} ${label}` : `${kind} ${label} ${bytes} bytes`
}
