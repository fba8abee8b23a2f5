// The package has no types of its own.
declare module 'aws4' {
  type Request = {
    host: string
    method: string
    path: string
    service: string
    region: string
    headers: Record<string, string>
    body: string
    extraHeadersToIgnore: Record<string, true>
  }
  type Keys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
  export function sign(request: Request, keys: Keys): { headers: Record<string, string> }
}
