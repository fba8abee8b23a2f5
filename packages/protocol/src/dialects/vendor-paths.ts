// The API versions of the generate-content vendor. The specification serves one of them, /v1beta, and makes any other base
// address a 404. The vendor's own SDKs choose the version themselves, so those that send its own credential are served all.

type Headers = { get(name: string): string | null }

const SERVED = '/v1beta'
const KEY = /(?:^|&)key=[^&]/
const VERB = /:(?:generateContent|streamGenerateContent|countTokens)$/

/** The same path under the version that is served, for a call by one of the vendor's SDKs; else the path as it is. */
export function vendorPath(path: string, query: string, headers: Headers): string {
  const version = versionOf(path)
  if (version === undefined) return path
  // What this and the chat protocol both call by the same path is told apart by the credential: the other's wins.
  const isShared = version === '/v1' && !VERB.test(path)
  if (isShared && OTHERS.some((name) => headers.get(name) !== null)) return path
  if (headers.get('x-goog-api-key') === null && !KEY.test(query)) return path
  return SERVED + path.slice(version.length)
}

/** Whether anybody could call a model by this path: for decisions that are made before the headers are read. */
export const isVendorCall = (path: string): boolean => versionOf(path) !== undefined && VERB.test(path)

const OTHERS = ['authorization', 'x-api-key', 'anthropic-version', 'msg-version']

/** Of the versions besides the one that is served. */
function versionOf(path: string): '/v1' | '/v1alpha' | undefined {
  const version = path.startsWith('/v1/') ? '/v1' : path.startsWith('/v1alpha/') ? '/v1alpha' : undefined
  if (version === undefined || !path.startsWith('models', version.length + 1)) return undefined
  const next = path[version.length + 1 + 'models'.length]
  return next === undefined || next === '/' ? version : undefined
}
