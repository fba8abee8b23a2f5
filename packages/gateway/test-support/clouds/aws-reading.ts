// Sources of AWS for a file of tests, and whether the clouds know what they give.
import { expect } from 'bun:test'
import { join } from 'node:path'
import type { AwsKeys, Expiring } from '@trivium/gateway/upstreams/credentials/credential.ts'
import { type AwsAuth, awsSource } from '@trivium/gateway/upstreams/credentials/sources/aws/index.ts'
import { readNow, type useClouds, type Variables } from './use-clouds.ts'

/** Known to the clouds from the beginning. */
export const KEYS = { accessKey: 'AKIDEXAMPLEEXAMPLE1', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
export const IN_ENVIRONMENT = { AWS_ACCESS_KEY_ID: KEYS.accessKey, AWS_SECRET_ACCESS_KEY: KEYS.secretKey }
export const ROLE = 'arn:aws:iam::123456789012:role/gateway'
export const HOUR = 3_600_000

export function awsReading(setup: ReturnType<typeof useClouds>) {
  const source = (auth: Partial<AwsAuth>, variables: Variables = {}) =>
    awsSource({ ...auth, type: 'aws' }, setup.tools({ HOME: join(setup.folder, 'empty'), ...variables }))
  return {
    source,
    read: (auth: Partial<AwsAuth>, variables: Variables = {}) => readNow(source(auth, variables)),
    /** The path of a shared file with this text. */
    config: (text: string) => setup.file(`${crypto.randomUUID()}/config`, text),
    /** The clouds know these keys, and until when they are valid. */
    expectGiven({ value, expiresAt }: Expiring<AwsKeys>, life = HOUR): void {
      const { accessKey, ...rest } = value
      const expected = { ...rest, sessionToken: rest.sessionToken ?? '', expiresAt: setup.clock.now + life }
      expect(setup.clouds.aws.keys.get(accessKey)).toEqual(expected)
      expect(expiresAt).toBe(setup.own.now + life)
    },
    clusterToken: (claims: object = {}) =>
      setup.clouds.cluster.token({ sub: 'system:serviceaccount:ai:gateway', aud: 'sts.amazonaws.com', ...claims }),
  }
}
