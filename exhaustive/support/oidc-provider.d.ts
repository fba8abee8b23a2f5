// What tests use of the package, which has no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
  type Context = {
    oidc: {
      provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant }
      session?: { accountId?: string }
    }
  }
  export type Configuration = {
    findAccount(context: Context, id: string): { accountId: string; claims(): Promise<object> }
    loadExistingGrant(context: Context): Promise<Grant>
    interactions: { url(context: Context, interaction: { uid: string }): string }
    [name: string]: unknown
  }
  export default class Provider {
    constructor(issuer: string, configuration: Configuration)
    Client: { prototype: { redirectUriAllowed(uri: string): boolean } }
    callback(): RequestListener
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>
  }
}
