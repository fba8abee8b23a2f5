// A request as code that sends it.

import { curlCode, javascriptCode, javascriptInstall, pythonCode, pythonInstall, sdkBase } from './code.ts'
import { protocolBase } from './endpoints.ts'
import type { Access, ExampleRequest, Snippet } from './types.ts'

/** In place of a secret that is not on screen. */
export const PLACEHOLDER = 'sk-...'

export type RequestClient = 'curl' | 'python' | 'javascript'

/** A snippet that sends exactly this request. */
export function requestSnippet(client: RequestClient, request: ExampleRequest, access: Access): Snippet {
  const { protocol } = request
  if (client === 'curl')
    return {
      baseUrl: protocolBase(protocol, access.baseUrl),
      parts: [{ kind: 'terminal', code: curlCode(request, access) }],
    }
  const [install, code] =
    client === 'python'
      ? [pythonInstall(protocol), pythonCode(request, access)]
      : [javascriptInstall(protocol), javascriptCode(request, access)]
  return {
    baseUrl: sdkBase(protocol, access.baseUrl),
    parts: [
      ...(install === undefined ? [] : [{ kind: 'install' as const, code: install }]),
      { kind: 'code', language: client === 'python' ? 'python' : 'js', code },
    ],
  }
}
