// What Google's services are sent, as they and the libraries of others judge it.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { AwsClient, IdentityPoolClient, OAuth2Client } from 'google-auth-library'
import { says } from '../../../../../test-support/clouds/clouds.ts'
import { failureOf, readNow, useClouds, type Variables } from '../../../../../test-support/clouds/use-clouds.ts'
import { googleSource } from './index.ts'

const setup = useClouds()
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const EMAIL = 'gateway@project.iam.gserviceaccount.com'
const IMPERSONATION = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${EMAIL}:generateAccessToken`
const google = () => setup.clouds.google
const source = (credentials?: unknown, variables: Variables = {}) => {
  const text = credentials === undefined || typeof credentials === 'string' ? credentials : JSON.stringify(credentials)
  return googleSource(
    { type: 'google', ...(text === undefined ? {} : { credentials: text }) },
    setup.tools({ HOME: join(setup.folder, 'empty'), ...variables }),
  )
}
const read = (credentials?: unknown, variables: Variables = {}) => readNow(source(credentials, variables))
const inFile = (credentials: unknown) => setup.file(`${crypto.randomUUID()}.json`, JSON.stringify(credentials))

const serviceAccount = (more: object = {}) => ({
  type: 'service_account',
  project_id: 'project',
  private_key_id: google().state.keyId,
  private_key: google().account.privateKey,
  client_email: EMAIL,
  token_uri: 'https://oauth2.googleapis.com/token',
  ...more,
})
const USER = {
  type: 'authorized_user',
  client_id: 'client.apps',
  client_secret: 'GOCSPX-client-secret',
  refresh_token: '1//refresh-token',
}
const external = (credential_source: object, more: object = {}) => ({
  type: 'external_account',
  audience: google().state.pool,
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source,
  ...more,
})
const clusterToken = (claims: object = {}) =>
  setup.clouds.cluster.token({ sub: 'gateway', aud: 'google-audience', ...claims })

async function expectGiven(reading: ReturnType<typeof read>, of: string, seconds = google().state.life): Promise<void> {
  const { value, expiresAt } = await reading
  const end = setup.clock.now + seconds * 1000
  expect(google().tokens.get(value)).toEqual({ of, expiresAt: end })
  expect(expiresAt).toBe(end)
}

describe('service accounts', () => {
  test('in the configuration and in a file', async () => {
    const inline = source(serviceAccount())
    await expectGiven(readNow(inline), EMAIL)
    expect(inline.name).toBe('service account in credentials')
    expect(setup.clouds.requests.at(-1)?.headers.host).toBe('oauth2.googleapis.com')
    const path = inFile(serviceAccount())
    const named = source(path)
    await expectGiven(readNow(named), EMAIL)
    expect(named.name).toBe(`service account in ${path}`)
  })

  test("its JWT passes Google's own check", async () => {
    // The library reads the time itself.
    const [before, own] = [setup.clock.now, setup.own.now]
    setup.clock.now = setup.own.now = Date.now()
    await expectGiven(read(serviceAccount()), EMAIL)
    ;[setup.clock.now, setup.own.now] = [before, own]
    const jwt = setup.clouds.requests.at(-1)?.form.get('assertion') ?? ''
    const certificates = { [google().state.keyId]: google().account.publicKey }
    const ticket = await new OAuth2Client().verifySignedJwtWithCertsAsync(
      jwt,
      certificates,
      'https://oauth2.googleapis.com/token',
      [EMAIL],
    )
    expect<unknown>(ticket.getEnvelope()).toEqual({ alg: 'RS256', typ: 'JWT', kid: google().state.keyId })
    const { iat = 0, ...claims } = ticket.getPayload() ?? {}
    expect(claims).toEqual({
      iss: EMAIL,
      scope: SCOPE,
      aud: 'https://oauth2.googleapis.com/token',
      exp: iat + 3600,
    } as never)
  })

  test('the file is read anew each time, and may name another place for tokens', async () => {
    const token_uri = `${setup.clouds.origin}/token`
    google().state.audience = token_uri
    const path = inFile(serviceAccount({ token_uri }))
    await expectGiven(read(path), EMAIL)
    google().state.audience = 'https://oauth2.googleapis.com/token'
    const found = source(path)
    await failureOf(readNow(found))
    await Bun.write(path, JSON.stringify(serviceAccount()))
    await expectGiven(readNow(found), EMAIL)
  })

  test('a key that was deleted, and a clock that is wrong', async () => {
    const deleted = await failureOf(read(serviceAccount({ private_key_id: 'key-0' })), [google().account.privateKey])
    expect(deleted).toContain(
      'service account in credentials: https://oauth2.googleapis.com/token answers with status 400',
    )
    expect(deleted).toContain(
      'invalid_grant: Invalid JWT Signature. Check that the key of the service account is not disabled or deleted',
    )
    setup.own.now -= 7 * 60_000
    const late = await failureOf(read(serviceAccount()))
    setup.own.now = setup.clock.now
    expect(late).toContain('The clock of this machine is 7 minutes behind: correct it.')
  })

  test.each([
    [{ private_key: 'not a key' }, 'private_key is not an RSA key in PEM'],
    [{ private_key: undefined }, 'private_key is missing'],
    [{ client_email: 7 }, 'client_email is missing'],
    ...[
      'http://oauth2.googleapis.com/token',
      'https://oauth2.googleapis.com:8443/token',
      'https://googleapis.com.example.com/',
      'https://user@example.com/',
      'http://127.0.0.1/',
      'https://169.254.169.254/',
      'x',
      7,
    ].map((token_uri) => [{ token_uri }, 'token_uri must be an https URL of googleapis.com'] as const),
  ] as [object, string][])('with %j in the configuration', async (more, message) => {
    const before = setup.clouds.requests.length
    expect(await failureOf(read(serviceAccount(more)), [google().account.privateKey])).toContain(message)
    expect(setup.clouds.requests.length).toBe(before)
  })
})

describe('the order of sources', () => {
  test('credentials, the variable, the file of the command line, the metadata server', async () => {
    const account = inFile(serviceAccount())
    setup.file('home/.config/gcloud/application_default_credentials.json', JSON.stringify(USER))
    setup.file('gcloud/application_default_credentials.json', JSON.stringify(serviceAccount()))
    const HOME = join(setup.folder, 'home')
    const GOOGLE_APPLICATION_CREDENTIALS = account
    await expectGiven(read(USER, { HOME, GOOGLE_APPLICATION_CREDENTIALS }), 'user')
    await expectGiven(read(undefined, { HOME, GOOGLE_APPLICATION_CREDENTIALS }), EMAIL)
    await expectGiven(read(undefined, { HOME }), 'user')
    await expectGiven(read(undefined, { HOME, CLOUDSDK_CONFIG: join(setup.folder, 'gcloud') }), EMAIL)
    const metadata = source()
    await expectGiven(readNow(metadata), 'default')
    expect(metadata.name).toBe('metadata server')
  })

  test('a file that is named and is not there', async () => {
    expect(await failureOf(read(undefined, { GOOGLE_APPLICATION_CREDENTIALS: '/nowhere.json' }))).toContain(
      '/nowhere.json: no such file',
    )
  })
})

describe('a user', () => {
  test('whose token was revoked, or whose client is wrong', async () => {
    google().state.refreshTokens.delete(USER.refresh_token)
    const message = await failureOf(read(USER), [USER.refresh_token, USER.client_secret])
    google().state.refreshTokens.add(USER.refresh_token)
    expect(message).toContain(
      'invalid_grant: Token has been expired or revoked: ***. If it was revoked or has expired, run: gcloud',
    )
    const wrong = await failureOf(read({ ...USER, client_secret: 'GOCSPX-wrong' }), [
      'GOCSPX-wrong',
      USER.refresh_token,
    ])
    expect(wrong).toContain('invalid_client: Unauthorized ***')
  })
})

describe('federation', () => {
  const AWS_KEYS = {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLEEXAMPLE1',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  }
  const AWS = {
    environment_id: 'aws1',
    regional_cred_verification_url: 'https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15',
  }
  const awsType = { subject_token_type: 'urn:ietf:params:aws:token-type:aws4_request' }

  test('a token in a file, as it is now: text, or a field', async () => {
    const path = setup.file('subject', `${await clusterToken()}\n`)
    const found = source(inFile(external({ file: path })))
    await expectGiven(readNow(found), 'gateway')
    const old = await clusterToken({ exp: Math.floor(setup.clock.now / 1000) - 60 })
    setup.file('subject', old)
    const message = await failureOf(readNow(found), [old])
    expect(message).toContain('exchange: https://sts.googleapis.com/v1/token answers with status 400: invalid_grant')
    expect(message).toContain('must accept the issuer, the audience and the attributes of the token')
    const json = setup.file('subject.json', JSON.stringify({ id_token: await clusterToken() }))
    const format = { type: 'json', subject_token_field_name: 'id_token' }
    await expectGiven(read(inFile(external({ file: json, format }))), 'gateway')
    const missing = external({ file: json, format: { ...format, subject_token_field_name: 'token' } })
    expect(await failureOf(read(inFile(missing)))).toContain('subject token: the field token is empty')
  })

  test('a token from a URL, with headers', async () => {
    const token = await clusterToken()
    const format = { type: 'json', subject_token_field_name: 'value' }
    const url = 'http://169.254.169.254/metadata/identity/oauth2/token?resource=x'
    const file = inFile(external({ url, headers: { Metadata: 'True', authorization: 'bearer request-token' }, format }))
    setup.clouds.next(says(JSON.stringify({ value: token })))
    await expectGiven(read(file), 'gateway')
    expect(setup.clouds.requests.at(-2)).toMatchObject({
      method: 'GET',
      headers: { host: '169.254.169.254', metadata: 'True' },
    })
    setup.clouds.next(() => Response.json({ message: 'bad bearer request-token' }, { status: 401 }))
    expect(await failureOf(read(file), ['request-token'])).toContain(
      'subject token: http://169.254.169.254/metadata/identity/oauth2/token answers with status 401',
    )
    const inside = inFile(external({ url: 'http://10.0.0.1/token' }))
    expect(await failureOf(read(inside))).toContain('http://10.0.0.1/token is not allowed')
  })

  test('keys of AWS, from its sources', async () => {
    const file = inFile(external(AWS, awsType))
    await expectGiven(read(file, { ...AWS_KEYS, AWS_REGION: 'us-east-2' }), AWS_KEYS.AWS_ACCESS_KEY_ID)
    const subject = decodeURIComponent(setup.clouds.requests.at(-1)?.form.get('subject_token') ?? '')
    // It is of no use to anybody else.
    expect(subject).toContain('SignedHeaders=host;x-amz-date;x-goog-cloud-target-resource')
    const before = setup.clouds.requests.length
    const { value } = await read(file)
    expect(google().tokens.get(value)?.of).toStartWith('ASIAEXAMPLE')
    const paths = setup.clouds.requests.slice(before).map(({ path }) => path)
    expect(paths).toContain('/latest/meta-data/placement/region')
    const message = await failureOf(
      read(file, { ...AWS_KEYS, AWS_SECRET_ACCESS_KEY: 'wrong', AWS_REGION: 'us-east-2' }),
    )
    expect(message).toContain('SignatureDoesNotMatch')
  })

  test('impersonation of a service account', async () => {
    const path = setup.file('subject', await clusterToken())
    const more = { service_account_impersonation_url: IMPERSONATION }
    google().state.mayImpersonate.set('gateway', EMAIL)
    await expectGiven(read(inFile(external({ file: path }, more))), EMAIL, 3600)
    const life = { ...more, service_account_impersonation: { token_lifetime_seconds: 1800 } }
    await expectGiven(read(inFile(external({ file: path }, life))), EMAIL, 1800)
    google().state.mayImpersonate.clear()
    const message = await failureOf(read(inFile(external({ file: path }, more))))
    expect(message).toContain("status 403: PERMISSION_DENIED: Permission 'iam.serviceAccounts.getAccessToken' denied")
    expect(message).toContain('needs the role Service Account Token Creator')
  })

  test('impersonation by other credentials in a file', async () => {
    google().state.mayImpersonate.set('user', EMAIL)
    const credentials = {
      type: 'impersonated_service_account',
      service_account_impersonation_url: IMPERSONATION,
      source_credentials: USER,
    }
    await expectGiven(read(inFile(credentials)), EMAIL, 3600)
    const nested = { ...credentials, source_credentials: credentials }
    expect(await failureOf(read(inFile(nested)))).toContain('source_credentials must be of another type')
    expect(await failureOf(read(inFile({ ...credentials, source_credentials: undefined })))).toContain(
      'source_credentials: not a JSON object',
    )
  })

  test.each([
    { executable: { command: 'x' } },
    { certificate: {} },
    {},
  ])('a source of tokens that is not supported: %j', async (from) => {
    expect(await failureOf(read(inFile(external(from))))).toContain('must have a file, a url or an environment_id')
  })

  test("the clouds of these tests judge Google's own library as they judge the gateway", async () => {
    const [before, own] = [setup.clock.now, setup.own.now]
    setup.clock.now = setup.own.now = Date.now()
    const token_url = `${setup.clouds.origin}/v1/token`
    const isFor = async (client: { getAccessToken(): Promise<{ token?: string | null }> }) =>
      google().tokens.get((await client.getAccessToken()).token ?? '')?.of
    try {
      const { audience, subject_token_type } = external({})
      const credential_source = { file: setup.file('subject', await clusterToken()) }
      const pool = { type: 'external_account', audience, subject_token_type, token_url }
      expect(await isFor(new IdentityPoolClient({ ...pool, credential_source }))).toBe('gateway')
      const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = AWS_KEYS
      const aws_security_credentials_supplier = {
        getAwsRegion: async () => 'us-east-2',
        getAwsSecurityCredentials: async () => ({ accessKeyId, secretAccessKey }),
      }
      expect(await isFor(new AwsClient({ ...pool, ...awsType, aws_security_credentials_supplier }))).toBe(accessKeyId)
    } finally {
      ;[setup.clock.now, setup.own.now] = [before, own]
    }
  })
})

describe('what stands in the configuration itself', () => {
  test.each([
    ['{', 'not a JSON object'],
    ['{}', 'the type must be service_account or authorized_user'],
    [JSON.stringify({ ...USER, refresh_token: undefined }), 'refresh_token is missing'],
    [
      JSON.stringify({ ...USER, token_uri: 'https://tokens.example.com' }),
      'token_uri must be an https URL of googleapis.com',
    ],
    [JSON.stringify({ type: 'impersonated_service_account' }), 'for others, name the file in place of its content'],
  ])('%s', async (text, message) => expect(await failureOf(read(text), ['GOCSPX'])).toContain(message))

  test('no federation: it would read files, and call URLs', async () => {
    const before = setup.clouds.requests.length
    const message = await failureOf(read(external({ file: '/etc/passwd' })))
    expect(message).toContain(
      'the type must be service_account or authorized_user; for others, name the file in place of its content',
    )
    expect(setup.clouds.requests.length).toBe(before)
  })
})

describe('the metadata server', () => {
  test('by its address, and by the names that it has', async () => {
    for (const GCE_METADATA_HOST of [
      'metadata.google.internal',
      'metadata.google.internal.:80',
      'metadata',
      '169.254.169.254',
    ]) {
      await expectGiven(read(undefined, { GCE_METADATA_HOST }), 'default')
      expect(setup.clouds.requests.at(-1)?.headers.host).toBe('169.254.169.254')
    }
    await expectGiven(read(undefined, { GCE_METADATA_HOST: new URL(setup.clouds.origin).host }), 'default')
    expect(await failureOf(read(undefined, { GCE_METADATA_HOST: '10.0.0.1' }))).toContain('is not allowed')
  })

  test('another service at its address is none, and one without a service account says so', async () => {
    setup.clouds.next(says('{"access_token":"a","expires_in":3600}'))
    expect(await failureOf(read())).toContain('No other source is configured')
    google().state.hasServiceAccount = false
    const message = await failureOf(read())
    google().state.hasServiceAccount = true
    expect(message).toContain('status 404. Attach a service account to the instance')
  })
})
