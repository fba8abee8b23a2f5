// The standard variables of the clouds' own SDKs, for credentials that nobody writes into a configuration. They count where `auth` of
// an upstream leaves something open.
import type { VariableText } from './variables.ts'

export const CLOUD_VARIABLES = {
  AWS_ACCESS_KEY_ID: { fallback: 'none', meaning: 'keys of AWS, with `AWS_SECRET_ACCESS_KEY`; the first source asked' },
  AWS_SECRET_ACCESS_KEY: { fallback: 'none', meaning: 'the secret of `AWS_ACCESS_KEY_ID`' },
  AWS_SESSION_TOKEN: { fallback: 'none', meaning: 'with temporary keys' },
  AWS_REGION: { fallback: 'none', meaning: 'the region of calls to AWS that name none' },
  AWS_DEFAULT_REGION: { fallback: 'none', meaning: 'the same, after `AWS_REGION`' },
  AWS_PROFILE: { fallback: '`default`', meaning: 'the profile of the shared files of AWS' },
  AWS_CONFIG_FILE: { fallback: '`~/.aws/config`', meaning: 'profiles, roles and `credential_process`' },
  AWS_SHARED_CREDENTIALS_FILE: { fallback: '`~/.aws/credentials`', meaning: 'profiles with keys' },
  AWS_WEB_IDENTITY_TOKEN_FILE: {
    fallback: 'none',
    meaning: 'a token of the cluster for `AWS_ROLE_ARN`, as EKS mounts it (IRSA); read each time',
  },
  AWS_ROLE_ARN: { fallback: 'none', meaning: 'the role for the token' },
  AWS_ROLE_SESSION_NAME: { fallback: '`trivium`', meaning: 'the name of sessions of roles' },
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: { fallback: 'none', meaning: 'set by ECS' },
  AWS_CONTAINER_CREDENTIALS_FULL_URI: { fallback: 'none', meaning: 'set by EKS Pod Identity' },
  AWS_CONTAINER_AUTHORIZATION_TOKEN: { fallback: 'none', meaning: 'sent to the URI of the container' },
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: { fallback: 'none', meaning: 'a file with that token; read each time' },
  AWS_EC2_METADATA_DISABLED: { fallback: '`false`', meaning: '`true`: instance metadata is not asked' },
  AWS_EC2_METADATA_SERVICE_ENDPOINT: {
    fallback: '`http://169.254.169.254`',
    meaning: 'instance metadata of AWS: also `http://[fd00:ec2::254]`, or a server on this machine',
  },
  AWS_ENDPOINT_URL_STS: { fallback: '`https://sts.REGION.amazonaws.com`', meaning: 'where roles of AWS are assumed' },
  GOOGLE_APPLICATION_CREDENTIALS: {
    fallback: '`application_default_credentials.json` in `CLOUDSDK_CONFIG`',
    meaning: 'the file with credentials of Google Cloud',
  },
  CLOUDSDK_CONFIG: { fallback: '`~/.config/gcloud`', meaning: 'the folder of the command line of Google Cloud' },
  GCE_METADATA_HOST: {
    fallback: '`169.254.169.254`',
    meaning: 'the metadata server of Google Cloud: this address, or a server on this machine',
  },
  AZURE_TENANT_ID: { fallback: 'none', meaning: 'the tenant of Microsoft Entra' },
  AZURE_CLIENT_ID: { fallback: 'none', meaning: 'the application, or the managed identity' },
  AZURE_CLIENT_SECRET: { fallback: 'none', meaning: 'the secret of the application' },
  AZURE_FEDERATED_TOKEN_FILE: {
    fallback: 'none',
    meaning: 'a token of the cluster in place of the secret, as AKS mounts it; read each time',
  },
  AZURE_AUTHORITY_HOST: { fallback: '`https://login.microsoftonline.com/`', meaning: 'Entra of another cloud' },
  AZURE_POD_IDENTITY_AUTHORITY_HOST: {
    fallback: '`http://169.254.169.254`',
    meaning: 'the metadata service of Azure: this address, or a server on this machine',
  },
  IDENTITY_ENDPOINT: { fallback: 'none', meaning: 'managed identity, set by App Service and Container Apps' },
  IDENTITY_HEADER: { fallback: 'none', meaning: 'sent to it' },
  HOME: { fallback: 'none', meaning: 'the folder that `~` stands for' },
} as const satisfies Record<string, VariableText>

export type CloudVariable = keyof typeof CLOUD_VARIABLES

export type CloudEnvironment = {
  /** Those that are set. */
  variables: Readonly<Partial<Record<CloudVariable, string>>>
  /** What a `credential_process` gets: everything that is set but the gateway's own variables and keys. */
  forPrograms: Readonly<Record<string, string>>
}
