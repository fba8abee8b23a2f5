// Keys of AWS in the words of its services.
import type { AwsKeys, Expiring } from '../../credential.ts'
import type { CredentialAnswer, JsonObject } from '../answer.ts'

/** `token`: what the service calls the session token. */
export function temporaryKeys(answer: CredentialAnswer, from: JsonObject, token: string): Expiring<AwsKeys> {
  const accessKey = answer.field(from, 'AccessKeyId')
  const secretKey = answer.field(from, 'SecretAccessKey')
  const value = { accessKey, secretKey, sessionToken: answer.field(from, token) }
  return { value, expiresAt: answer.endAt(Date.parse(String(from.Expiration))) }
}
