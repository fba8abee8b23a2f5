// Random valid upstreams of clouds, for generated configurations.

type Fields = { [name: string]: unknown }
type Makers = {
  oneOf<T>(list: readonly T[]): T
  /** Each field with a probability of a half. */
  some(makers: { [name: string]: () => unknown }): Fields
  secret(): string
  address(): string
}

export function cloudUpstream({ oneOf, some, secret, address }: Makers): Fields {
  const awsKeys = () => ({ access_key: secret(), secret_key: secret(), ...some({ session_token: secret }) })
  const role = () => ({ role_arn: 'arn:aws:iam::123456789012:role/of/trivium', ...some({ external_id: () => 'us-1' }) })
  const account = () => JSON.stringify({ type: 'service_account', client_email: address(), private_key: secret() })
  const CLOUDS = [
    () => ({
      kind: 'bedrock',
      base_url: 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1',
      auth: {
        type: 'aws',
        ...some({ region: () => 'us-east-1' }),
        ...oneOf<() => Fields>([() => ({}), awsKeys, () => ({ profile: 'Two words' }), role])(),
      },
    }),
    () => ({
      kind: 'vertex',
      base_url: 'https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1',
      auth: {
        type: 'google',
        ...some({
          credentials: () => oneOf([account(), '/etc/google.json']),
          project: () => 'my-project',
          location: () => 'us-central1',
        }),
      },
    }),
    () => ({
      kind: 'azure',
      base_url: 'https://my-resource.openai.azure.com/openai/v1',
      auth: { type: 'entra', ...some({ tenant: () => 'my.tenant', client_id: () => 'c-1', client_secret: secret }) },
    }),
  ]
  return oneOf<() => Fields>(CLOUDS)()
}

export function hasFileOnlyAuth({ auth }: Fields): boolean {
  const { profile, role_arn, credentials } = (auth ?? {}) as Fields
  return profile !== undefined || role_arn !== undefined || String(credentials).startsWith('/')
}
