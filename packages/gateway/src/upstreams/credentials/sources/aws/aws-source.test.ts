// Which source of AWS is asked, what it is sent, and what it gives.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { awsReading, HOUR, IN_ENVIRONMENT, KEYS, ROLE } from '../../../../../test-support/clouds/aws-reading.ts'
import { failureOf, readNow, useClouds, type Variables } from '../../../../../test-support/clouds/use-clouds.ts'

const setup = useClouds()
const { source, read, config, expectGiven, clusterToken } = awsReading(setup)

describe('the order of sources', () => {
  test('keys of the configuration, then each source that is configured, instance metadata last', async () => {
    const { aws } = setup.clouds
    aws.roles.set('arn:aws:iam::1:role/irsa', { subject: 'system:serviceaccount:ai:gateway' })
    aws.state.container.token = 'container-token'
    const profiles = config(`[default]\naws_access_key_id = AKIDOFDEFAULTPROFILE\naws_secret_access_key = x\n`)
    const steps: [string, Variables][] = [
      ['environment', IN_ENVIRONMENT],
      ['profile default', { AWS_CONFIG_FILE: profiles }],
      [
        'web identity',
        {
          AWS_WEB_IDENTITY_TOKEN_FILE: setup.file('irsa', await clusterToken()),
          AWS_ROLE_ARN: 'arn:aws:iam::1:role/irsa',
        },
      ],
      [
        'container credentials',
        {
          AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/7',
          AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token',
        },
      ],
      ['instance metadata', {}],
    ]
    const all = Object.assign({}, ...steps.map(([, variables]) => variables)) as Variables
    const named = async (auth: Parameters<typeof read>[0], variables: Variables) => {
      const found = source(auth, variables)
      await readNow(found)
      return found.name
    }
    expect(await named(KEYS, all)).toBe('configuration')
    for (const [index, [name]] of steps.entries()) {
      const left: Variables = Object.assign({}, ...steps.slice(index).map(([, variables]) => variables))
      expect(await named({}, left)).toBe(name)
    }
  })

  test('keys that are written or set do not expire', async () => {
    expect(await read({ ...KEYS, sessionToken: 's' })).toEqual({
      value: { ...KEYS, sessionToken: 's' },
      expiresAt: undefined,
    })
    const set = await read({}, { ...IN_ENVIRONMENT, AWS_SESSION_TOKEN: 't' })
    expect(set).toEqual({ value: { ...KEYS, sessionToken: 't' }, expiresAt: undefined })
  })

  test('a source that is configured and fails is not followed by another one', async () => {
    const before = setup.clouds.requests.length
    const variables = { AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere/token', AWS_ROLE_ARN: ROLE }
    expect(await failureOf(read({}, variables))).toBe(
      `web identity for role ${ROLE}: cannot read /nowhere/token: no such file`,
    )
    expect(setup.clouds.requests.length).toBe(before)
  })

  test('a profile that is named and is not there', async () => {
    expect(await failureOf(read({ profile: 'prod' }, IN_ENVIRONMENT))).toStartWith(
      'profile prod: not in the shared files',
    )
    expect(await failureOf(read({}, { AWS_PROFILE: 'prod' }))).toContain('AWS_PROFILE')
  })
})

describe('roles', () => {
  test('a role of the configuration is assumed with a signature, by the region and the external id', async () => {
    setup.clouds.aws.roles.set(ROLE, { trusts: [KEYS.accessKey], externalId: 'team/7 &<é' })
    const assumed = source(
      { ...KEYS, roleArn: ROLE, externalId: 'team/7 &<é', region: 'eu-west-1' },
      { AWS_ROLE_SESSION_NAME: 'gateway-7' },
    )
    expectGiven(await readNow(assumed))
    expect(assumed.name).toBe(`role ${ROLE} of configuration`)
    expect(setup.clouds.aws.sessions.get(ROLE)).toEqual({ region: 'eu-west-1', name: 'gateway-7', seconds: null })
    expect(setup.clouds.requests.at(-1)?.headers.host).toBe('sts.eu-west-1.amazonaws.com')
  })

  test.each([
    [{ AWS_REGION: 'cn-north-1' }, 'sts.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    [{ AWS_DEFAULT_REGION: 'eu-west-1' }, 'sts.eu-west-1.amazonaws.com', 'eu-west-1'],
    [{}, 'sts.amazonaws.com', 'us-east-1'],
  ] as [Variables, string, string][])('the host for %j is %s', async (variables, host, region) => {
    setup.clouds.aws.roles.set(ROLE, { trusts: [KEYS.accessKey] })
    expectGiven(await read({ ...KEYS, roleArn: ROLE }, variables))
    expect(setup.clouds.requests.at(-1)?.headers.host).toBe(host)
    expect(setup.clouds.aws.sessions.get(ROLE)?.region).toBe(region)
  })

  test('AWS_ENDPOINT_URL_STS names another server: https, or this machine', async () => {
    setup.clouds.aws.roles.set(ROLE, { trusts: [KEYS.accessKey] })
    expectGiven(await read({ ...KEYS, roleArn: ROLE }, { AWS_ENDPOINT_URL_STS: `${setup.clouds.origin}/` }))
    const away = read({ ...KEYS, roleArn: ROLE }, { AWS_ENDPOINT_URL_STS: 'http://10.0.0.1' })
    expect(await failureOf(away)).toContain('http://10.0.0.1/ is not allowed: write an https URL')
    expect(await failureOf(read({ ...KEYS, roleArn: ROLE, region: 'x.example.com/' }))).toContain(
      'the region is no region',
    )
  })

  test('any external id and session name is signed as another library signs it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        async (externalId, name) => {
          setup.clouds.aws.roles.set(ROLE, { trusts: [KEYS.accessKey], externalId })
          expectGiven(await read({ ...KEYS, roleArn: ROLE, externalId }, { AWS_ROLE_SESSION_NAME: name }))
          expect(setup.clouds.aws.sessions.get(ROLE)?.name).toBe(name)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('a role that does not trust the keys', async () => {
    setup.clouds.aws.roles.set(ROLE, { trusts: [KEYS.accessKey], externalId: 'right' })
    const message = await failureOf(read({ ...KEYS, roleArn: ROLE, externalId: 'wrong' }), [KEYS.secretKey])
    expect(message).toContain(
      'answers with status 403: AccessDenied: User is not authorized to perform: sts:AssumeRole',
    )
    expect(message).toContain(
      "Check the keys AKIDEXAMPLEEXAMPLE1, and that the role's trust policy allows them to assume it",
    )
  })

  test('keys that were revoked', async () => {
    const message = await failureOf(read({ ...KEYS, accessKey: 'AKIDREVOKED12345678', roleArn: ROLE }), [
      KEYS.secretKey,
    ])
    expect(message).toContain('InvalidClientTokenId')
  })

  test('temporary keys that have expired since', async () => {
    const instance = await read({})
    setup.clock.now += 2 * HOUR
    setup.own.now += 2 * HOUR
    const { accessKey, secretKey, sessionToken = '' } = instance.value
    const message = await failureOf(read({ accessKey, secretKey, sessionToken, roleArn: ROLE }), [
      secretKey,
      sessionToken,
    ])
    expect(message).toContain('ExpiredToken')
  })

  test('a clock that is wrong is named', async () => {
    setup.own.now += 10 * 60_000
    try {
      const message = await failureOf(read({ ...KEYS, roleArn: ROLE }))
      expect(message).toContain('Signature expired')
      expect(message).toContain('The clock of this machine is 10 minutes ahead: correct it.')
      // Where the clock does not matter for the answer, it does not matter for its end either.
      expectGiven(await read({}))
    } finally {
      setup.own.now = setup.clock.now
    }
  })
})

describe('web identity (IRSA)', () => {
  const variables = (file: string) => ({ AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: ROLE })

  test('the token of the file, as it is now', async () => {
    setup.clouds.aws.roles.set(ROLE, { subject: 'system:serviceaccount:ai:gateway' })
    const file = setup.file('token', `${await clusterToken()}\n`)
    const found = source({}, variables(file))
    expectGiven(await readNow(found))
    setup.clock.now += 2 * HOUR
    setup.own.now += 2 * HOUR
    const old = await failureOf(readNow(found), [await Bun.file(file).text()])
    expect(old).toContain('InvalidIdentityToken: "exp" claim timestamp check failed <***>')
    setup.file('token', await clusterToken())
    expectGiven(await readNow(found))
  })

  test.each([
    [{ aud: 'other' }, 'InvalidIdentityToken', 'its audience (sts.amazonaws.com)'],
    [{ sub: 'system:serviceaccount:ai:other' }, 'AccessDenied', 'its subject (the service account)'],
  ])('a token with %j', async (claims, code, advice) => {
    setup.clouds.aws.roles.set(ROLE, { subject: 'system:serviceaccount:ai:gateway' })
    const token = await clusterToken(claims)
    const message = await failureOf(read({}, variables(setup.file('token', token))), [token])
    expect(message).toContain(code)
    expect(message).toContain(advice)
  })

  test.each([
    ['', 'is empty'],
    ['two\nlines', 'has no token'],
    ['x'.repeat(2_000_000), 'larger than 1 MiB'],
  ])('a file that has no token', async (text, message) => {
    expect(await failureOf(read({}, variables(setup.file('bad', text))))).toContain(message)
  })

  test('a folder, a device without an end, and a pipe that nobody writes to', async () => {
    const pipe = join(setup.folder, 'pipe')
    Bun.spawnSync(['mkfifo', pipe])
    expect(await failureOf(read({}, variables(pipe)))).toContain('not a file')
    expect(await failureOf(read({}, variables(setup.folder)))).toContain('cannot read')
    expect(await failureOf(read({}, variables('/dev/zero')))).toContain('not a file')
  })
})

describe('containers', () => {
  const PATH = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/7' }
  const POD = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials' }

  test('ECS: at its address, with the token of the variable', async () => {
    setup.clouds.aws.state.container.token = 'Basic container-token'
    const set = { ...PATH, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'Basic container-token' }
    expectGiven(await read({}, set))
    expect(setup.clouds.requests.at(-1)?.headers.host).toBe('169.254.170.2')
    const wrong = read({}, { ...PATH, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'wrong-token' })
    expect(await failureOf(wrong, ['wrong-token'])).toContain('status 401: AccessDenied: bad token ***')
    const bad = read({}, { ...PATH, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'a\r\nhost: b' })
    expect(await failureOf(bad)).toContain('AWS_CONTAINER_AUTHORIZATION_TOKEN has no token')
  })

  test('EKS Pod Identity: the token of the file, as it is now', async () => {
    const file = setup.file('pod-token', 'first')
    setup.clouds.aws.state.container.file = file
    const found = source({}, { ...POD, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file })
    expectGiven(await readNow(found))
    setup.file('pod-token', 'second')
    expectGiven(await readNow(found))
    expect(setup.clouds.requests.at(-1)?.headers).toMatchObject({ host: '169.254.170.23', authorization: 'second' })
    setup.clouds.aws.state.container.file = undefined
  })

  test.each([
    'http://10.0.0.1/v1/credentials',
    'http://169.254.1.1/v1/credentials',
    'http://169.254.170.23:8080/v1/credentials',
    'http://metadata.google.internal/v1/credentials',
    'http://[fe80::1]/',
    'ftp://169.254.170.23/',
    'x',
  ])('%s is no address of containers', async (url) => {
    const before = setup.clouds.requests.length
    expect(await failureOf(read({}, { AWS_CONTAINER_CREDENTIALS_FULL_URI: url }))).toMatch(
      /is not allowed|does not lead to a host|name is not found/,
    )
    expect(setup.clouds.requests.length).toBe(before)
  })
})

describe('instance metadata', () => {
  test('version 2, and its IPv6 address', async () => {
    expectGiven(await read({}))
    expectGiven(await read({}, { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://[fd00:ec2::254]/' }))
    expect(setup.clouds.requests.at(-1)?.headers.host).toBe('[fd00:ec2::254]')
  })

  test('an instance with version 1 only fails by name, and version 1 is never used', async () => {
    const { instance } = setup.clouds.aws.state
    instance.version = 1
    const before = setup.clouds.requests.length
    const message = await failureOf(read({}))
    instance.version = 2
    expect(message).toContain('Version 2 of instance metadata (IMDSv2) is needed')
    expect(setup.clouds.requests.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /latest/api/token',
    ])
  })

  test('an instance without a role, and one that must not be asked', async () => {
    const { instance } = setup.clouds.aws.state
    instance.role = ''
    const message = await failureOf(read({}))
    instance.role = 'gateway-instance'
    expect(message).toContain('attach an instance profile')
    const before = setup.clouds.requests.length
    expect(await failureOf(read({}, { AWS_EC2_METADATA_DISABLED: 'TRUE' }))).toContain('No other source is configured')
    expect(setup.clouds.requests.length).toBe(before)
  })

  test('keys that have expired are not used', async () => {
    setup.clouds.aws.state.life = 0
    const message = await failureOf(read({}))
    setup.clouds.aws.state.life = 3600
    expect(message).toContain('has expired already')
  })
})
